"""Lets node code's MLflow client reach the server."""
