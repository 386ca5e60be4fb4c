"""
A backend of matplotlib for scripts, and for notebooks without IPython: `plt.show()` shows the figures at the node and
closes them.
"""

# matplotlib is there only in sessions that use it.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportMissingImports=false, reportMissingTypeStubs=false
from __future__ import annotations

import io
import sys
from typing import Any

TYPE_CHECKING = False
if not TYPE_CHECKING:
    # Loaded by its name in the settings of matplotlib only.
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas  # noqa: F401
    except ImportError:
        pass


class Picture:
    """A figure as Jupyter shows it: without the empty space around it."""

    def __init__(self, figure: Any) -> None:
        self.figure = figure

    def __repr__(self) -> str:
        return repr(self.figure)

    def _repr_png_(self) -> bytes:
        figure, target = self.figure, io.BytesIO()
        colours = {"facecolor": figure.get_facecolor(), "edgecolor": figure.get_edgecolor()}
        figure.canvas.print_figure(target, format="png", dpi=figure.dpi, bbox_inches="tight", **colours)
        return target.getvalue()


def show(*_: Any, **__: Any) -> None:
    """Shows and closes what pyplot has open."""
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    from ..services import show as show_value

    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        if figure.axes or figure.lines:
            show_value(Picture(figure))
    pyplot.close("all")
