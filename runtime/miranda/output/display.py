"""The Jupyter display protocol: a value as texts and images by MIME type."""

# This looks at values of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import base64
from typing import Any

from ..files import OutputFile

METHODS = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_svg_": "image/svg+xml",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_json_": "application/json",
    "_repr_latex_": "text/latex",
}
LARGEST = 2_000_000


def mime_bundle(value: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the value shows of itself, and its metadata. What is too large is left out, with a note."""
    bundle: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    own = getattr(type(value), "_repr_mimebundle_", None)
    if own is not None:
        given = own(value)
        if isinstance(given, tuple):
            given, metadata = given
        bundle.update(given or {})
    for method, mime in METHODS.items():
        function = getattr(type(value), method, None)
        if function is None or mime in bundle:
            continue
        given = function(value)
        if isinstance(given, tuple):
            given, metadata[mime] = given
        if given is not None:
            bundle[mime] = given
    figure = getattr(value, "savefig", None)
    if "image/png" not in bundle and callable(figure):
        bundle["image/png"] = figure_as_png(figure)
    # Only now: the worker starts without it.
    from .tables import MIME as TABLE
    from .tables import table_of

    table = None if TABLE in bundle else table_of(value)
    if table is not None:
        bundle[TABLE] = table
    # Of a long table the first rows are enough: all of it once more would be too large to be shown.
    is_whole = table is None or len(table["rows"]) == table["total"]
    if is_whole and isinstance(value, (dict, list)) and "application/json" not in bundle:
        bundle["application/json"] = value
    if isinstance(value, OutputFile):
        bundle["text/plain"] = value.name
    if "text/plain" not in bundle:
        bundle["text/plain"] = value if isinstance(value, str) else repr(value)
    return {mime: fit(mime, data) for mime, data in bundle.items()}, metadata


def figure_as_png(savefig: Any) -> bytes:
    import io

    target = io.BytesIO()
    savefig(target, format="png")
    return target.getvalue()


def fit(mime: str, data: Any) -> Any:
    if isinstance(data, (bytes, bytearray)):
        data = base64.b64encode(data).decode()
    if isinstance(data, str) and len(data) > LARGEST:
        if mime.startswith("image/"):
            return f"(an output of {len(data)} bytes is too large to show)"
        return data[:LARGEST] + f"… ({len(data) - LARGEST} more characters)"
    return data
