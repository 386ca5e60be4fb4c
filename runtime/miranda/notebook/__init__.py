"""Runs imported notebooks and scripts as Jupyter and `python file.py` run them. Nodes that the import makes use it."""

from .run import run_cells, run_script

__all__ = ["run_cells", "run_script"]
