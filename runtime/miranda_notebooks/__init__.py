"""Cuts notebooks and scripts into nodes. It reads their code by syntax tree alone: nothing of it is ever run."""
