"""Runs cells by IPython, which Jupyter runs them by: magics, `!` lines and `?` do what they do there."""

# IPython is there only in sessions that use it, and none of its classes is typed.
# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false, reportAttributeAccessIssue=false
# pyright: reportIncompatibleMethodOverride=false, reportArgumentType=false, reportOptionalMemberAccess=false
from __future__ import annotations

import asyncio
import atexit
import os
import sys
import tempfile
import traceback
import types
from collections.abc import Callable
from typing import Any

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.formatters import DisplayFormatter
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

from .. import services
from ..output.display import fit
from ..output.tables import MIME as TABLE
from ..output.tables import table_of
from .text import Cell, Place, trim


def publish(data: dict[str, Any], metadata: dict[str, Any] | None, id: str | None = None) -> None:
    services.host.show({mime: fit(mime, one) for mime, one in data.items()}, metadata or {}, id)


class Formatter(DisplayFormatter):
    """Adds the table that the platform shows for a frame."""

    def format(self, obj: Any, include: Any = None, exclude: Any = None) -> Any:
        data, metadata = super().format(obj, include=include, exclude=exclude)
        if "text/html" in data:
            table = table_of(obj)
            if table is not None:
                data = {**data, TABLE: table}
        return data, metadata


class Hook(DisplayHook):
    """The value of the last line goes to the node, without `Out[1]`."""

    data: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    is_showing = False

    def start_displayhook(self) -> None:
        self.is_showing = True

    def write_output_prompt(self) -> None: ...

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        self.data, self.metadata = format_dict, md_dict

    def finish_displayhook(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        if self.data:
            publish(self.data, self.metadata)
        self.data = None
        self.is_showing = False


class Publisher(DisplayPublisher):
    def publish(self, data: Any, metadata: Any = None, *, transient: Any = None, **_: Any) -> None:
        publish(data, metadata, (transient or {}).get("display_id"))

    def clear_output(self, wait: bool = False) -> None: ...


class Compiler(CachingCompiler):
    """Code gets the file and the lines of the node, so that errors and breakpoints name them."""

    place: Place
    line = 1
    watch: Callable[[types.CodeType], None]

    def cache(self, *_: Any, **__: Any) -> str:
        return self.place.filename

    def ast_parse(self, source: str, filename: str = "<unknown>", symbol: str = "exec") -> Any:
        return super().ast_parse(self.place.compiled(source, self.line), self.place.filename, symbol)

    def __call__(self, *args: Any, **named: Any) -> Any:
        code = super().__call__(*args, **named)
        if isinstance(code, types.CodeType) and code.co_filename == self.place.filename:
            self.watch(code)
        return code


class Shell(InteractiveShell):
    displayhook_class = Type(Hook)
    display_pub_class = Type(Publisher)
    compiler_class = Type(Compiler)

    def init_display_formatter(self) -> None:
        self.display_formatter = Formatter(parent=self)
        self.configurables.append(self.display_formatter)

    def init_hooks(self) -> None:
        super().init_hooks()
        # Jupyter shows help beside the notebook, not in it.
        self.set_hook("show_in_pager", lambda *_: None, 99)

    def enable_gui(self, gui: Any = None) -> None: ...

    #: A value that could not be shown. Jupyter takes that for an error of the cell.
    display_error: BaseException | None = None

    def showtraceback(self, exc_tuple: Any = None, *_: Any, **__: Any) -> None:
        """The exception of a cell is raised from the node, which shows it. Others have only this place."""
        if exc_tuple is None or exc_tuple[1] is None:
            return
        traceback.print_exception(*exc_tuple)
        if self.displayhook.is_showing:
            self.display_error = exc_tuple[1]

    def showsyntaxerror(self, *_: Any, **__: Any) -> None: ...

    def showindentationerror(self) -> None: ...


def run_in_ipython(
    cells: list[Cell],
    module: types.ModuleType,
    place: Place,
    watch: Callable[[types.CodeType], None],
    begin: Callable[[str], None],
    named: Callable[[Cell, BaseException], None],
) -> dict[str, Any]:
    """Returns the names that the cells made."""
    with tempfile.TemporaryDirectory(prefix="ipython-") as folder:
        hooks = sys.excepthook, sys.displayhook
        settings = Config()
        settings.HistoryManager.enabled = False
        os.environ.setdefault("IPYTHONDIR", folder)
        InteractiveShell.clear_instance()
        Shell.clear_instance()
        shell = Shell.instance(config=settings, ipython_dir=folder, user_module=module, user_ns=module.__dict__)
        try:
            shell.compile.place, shell.compile.watch = place, watch
            show_figures_of(shell)
            error = asyncio.run(run_all(shell, cells, begin, named))
            names = dict(module.__dict__)
        finally:
            atexit.unregister(shell.atexit_operations)
            if os.environ.get("IPYTHONDIR") == folder:
                del os.environ["IPYTHONDIR"]
            shell.restore_sys_module_state()
            shell.atexit_operations()
            Shell.clear_instance()
            InteractiveShell.clear_instance()
            sys.excepthook, sys.displayhook = hooks
    if error is not None:
        raise error
    return names


def show_figures_of(shell: Any) -> None:
    """matplotlib connects itself to the first shell of a process only."""
    inline: Any = sys.modules.get("matplotlib_inline.backend_inline")
    if inline is not None:
        inline.InlineBackend.clear_instance()
        inline.configure_inline_support.current_backend = "unset"
        inline._enable_matplotlib_integration()


async def run_all(
    shell: Any, cells: list[Cell], begin: Callable[[str], None], named: Callable[[Cell, BaseException], None]
) -> BaseException | None:
    """The exception that ended it."""
    for cell in cells:
        shell.compile.line = cell.line
        begin(cell.name)
        error = await run_one(shell, cell.source)
        if error is None:
            continue
        trim(error, shell.compile.place.filename)
        named(cell, error)
        if not cell.may_fail or not isinstance(error, Exception):
            return error
        traceback.print_exception(error)
    return None


async def run_one(shell: Any, source: str) -> BaseException | None:
    """One cell, as ipykernel runs it."""
    transformed, problem = source, None
    try:
        transformed = shell.transform_cell(source)
    except Exception:
        problem = sys.exc_info()
    result = None
    try:
        result = await shell.run_cell_async(
            source, store_history=True, transformed_cell=transformed, preprocessing_exc_tuple=problem
        )
    finally:
        # The figures of the cell are shown now.
        shell.events.trigger("post_execute")
        shell.events.trigger("post_run_cell", result)
    shown, shell.display_error, shell.displayhook.is_showing = shell.display_error, None, False
    return result.error_before_exec or result.error_in_exec or shown
