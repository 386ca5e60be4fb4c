"""Runs the cells of a notebook, or a script, as code of the main module."""

from __future__ import annotations

import os
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any

from . import pictures
from .main_module import INLINE, PICTURES, as_a_program, drawing_with, main_module
from .text import Cell, Place, cells_of, place_of, trim


def ignore(_: str) -> None: ...


#: Told the name of each cell before it runs.
on_cell: Callable[[str], None] = ignore


def run_cells(text: str, given: dict[str, Any] | None = None, name: str = "") -> dict[str, Any]:
    """
    Runs the cells one after the other in one namespace, as `jupyter nbconvert --execute` does, and returns its names.

    `text`: The cells. Each begins below a line `# %%`.
    `given`: Names that the cells find, with their values.
    `name`: The file that it was imported from.
    """
    place = place_of(text, sys._getframe(1))
    try:
        return run_all(text, given or {}, name, place)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
        # A node that exits with 0 counts as done, but cells have not run: Jupyter reports that too.
        raise SystemExit("A cell ended the notebook: the cells below it did not run.") from end


def run_all(text: str, given: dict[str, Any], name: str, place: Place) -> dict[str, Any]:
    with main_module(name, os.getcwd()) as module:
        module.__dict__.update(given)
        if has_ipython():
            from .ipython_shell import run_in_ipython

            with drawing_with(INLINE):
                return run_in_ipython(
                    cells_of(text),
                    module,
                    place,
                    watch,
                    on_cell,
                    lambda cell, error: named(error, cell, place, name),
                )
        from .plain_shell import PlainShell

        shell = PlainShell(module, place, watch)
        try:
            with drawing_with(PICTURES):
                for cell in cells_of(text):
                    run_cell(lambda cell=cell: shell.run(cell), cell, place, name)
        finally:
            shell.close()
        return dict(module.__dict__)


def run_cell(work: Callable[[], None], cell: Cell, place: Place, name: str) -> None:
    on_cell(cell.name)
    try:
        work()
    except BaseException as error:
        named(error, cell, place, name)
        if not cell.may_fail or not isinstance(error, Exception):
            raise
        trim(error, place.filename)
        traceback.print_exception(error)
    finally:
        pictures.show()


def run_script(text: str, given: dict[str, Any] | None = None, name: str = "script.py") -> dict[str, Any]:
    """
    Runs a script as `python file.py` does, and returns its names.

    `text`: The script.
    `given`: Names that it finds, with their values.
    `name`: The name of its file.
    """
    place = place_of(text, sys._getframe(1))
    if text.startswith("\n"):
        # The text begins below the quotes.
        text, place.first_line = text[1:], place.first_line + 1
    folder = os.getcwd()
    path = os.path.join(folder, os.path.basename(name) or "script.py")
    # Processes that the script starts read it again.
    is_ours = put_file(path, text)
    try:
        with main_module(os.path.basename(path), folder) as module, drawing_with(PICTURES), as_a_program():
            module.__file__ = path
            module.__dict__.update({"__cached__": None, **(given or {})})
            try:
                code = compile(place.compiled(text, 1), place.filename, "exec", dont_inherit=True)
                watch(code)
                exec(code, module.__dict__)
            except BaseException as error:
                named(error, Cell("", text, 1), place, os.path.basename(path))
                raise
            finally:
                pictures.show()
            return dict(module.__dict__)
    finally:
        if is_ours:
            remove_file(path)


def put_file(path: str, text: str) -> bool:
    try:
        with open(path, "x", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        # It is there already, or the disk is full: only processes of the script's own would miss it.
        return False
    return True


def remove_file(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass


def named(error: BaseException, cell: Cell, place: Place, name: str) -> None:
    """Says in the traceback which cell and which line of it raised the exception."""
    line = line_of(error, place)
    if line is None:
        return
    begin = place.first_line + cell.line - 1
    is_inside = begin <= line <= begin + cell.source.count("\n")
    words = f"line {line - begin + 1}" if is_inside else f"line {line} of the node"
    told = f"In {cell.name}, {words}." if cell.name else f"In {words}."
    where = f" ({name})" if name else ""
    note = told[:-1] + where + "."
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)


def line_of(error: BaseException, place: Place) -> int | None:
    """The last line of the node's text that the exception came through."""
    found = None
    if isinstance(error, SyntaxError) and error.filename == place.filename:
        found = error.lineno
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == place.filename and at.tb_frame.f_code.co_name == "<module>":
            found = at.tb_lineno
        at = at.tb_next
    return found


def has_ipython() -> bool:
    from importlib.util import find_spec

    try:
        return find_spec("IPython") is not None
    except (ImportError, ValueError):
        return False


def watch(code: types.CodeType) -> None:
    """Tells the debugger about code that was not there when the node was loaded, so that breakpoints in it work."""
    from .. import services
    from ..execution.loader import all_codes

    debugger: Any = getattr(getattr(services.host, "runs", None), "debugger", None)
    if debugger is None:
        return
    known = debugger.codes.setdefault(code.co_filename, [])
    known.extend(all_codes(code))
    debugger.resolve(code.co_filename)
    # Before Python 3.12 it decided when the node began whether to trace.
    debugger.enter(code.co_filename)
