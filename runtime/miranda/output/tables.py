"""Frames, lists of rows and columns as one kind of table: what a browser can sort, format and download."""

# This looks at values of any type, and no library of tables is installed where types are checked.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import datetime
import json
import math
import sys
from typing import Any

MIME = "application/vnd.miranda.table+json"
MOST_ROWS = 1_000
MOST_COLUMNS = 500
#: Each is a value that the agent and the server look at.
MOST_CELLS = 50_000
LONGEST_CELL = 1_000
LONGEST_NAME = 200
LARGEST = 1_500_000
#: A browser counts no further than this without losing digits.
LARGEST_EXACT = (1 << 53) - 1


def table_of(value: Any) -> dict[str, Any] | None:
    """
    The value as a table, or None where it is none. Libraries are not imported for it: whose value it is has done
    that.
    """
    try:
        found = find(value)
        return None if found is None else written(*found)
    except Exception:
        # A frame that cannot be read shows its text instead; it is not the node that failed.
        return None


def written(columns: list[tuple[str, str]], rows: list[Any], total: int, total_columns: int) -> dict[str, Any]:
    table: dict[str, Any] = {
        "columns": [{"name": name[:LONGEST_NAME], "type": kind[:LONGEST_NAME]} for name, kind in columns],
        "rows": [[cell(one) for one in row] for row in rows],
        "total": total,
        "total_columns": total_columns,
    }
    while len(table["rows"]) > 1 and len(json.dumps(table["rows"])) > LARGEST:
        table["rows"] = table["rows"][: len(table["rows"]) // 2]
    return table


Found = tuple[list[tuple[str, str]], list[Any], int, int]


def find(value: Any) -> Found | None:
    if isinstance(value, dict):
        return of_columns(value)
    if isinstance(value, (list, tuple)):
        return of_rows(value)
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    if library not in ("pandas", "polars", "numpy") or library not in sys.modules:
        return None
    if library == "pandas":
        return of_pandas(value)
    if library == "polars":
        return of_polars(value)
    return of_numpy(value)


def most_rows(columns: int) -> int:
    return min(MOST_ROWS, max(1, MOST_CELLS // max(1, columns)))


def of_pandas(value: Any) -> Found | None:
    pandas = sys.modules["pandas"]

    if isinstance(value, pandas.Series):
        value = value.to_frame(name="value" if value.name is None else value.name)
    if not isinstance(value, pandas.DataFrame):
        return None
    total, width = value.shape
    part = value.iloc[: most_rows(width), :MOST_COLUMNS]
    columns = [(name_of(name), str(kind)) for name, kind in zip(part.columns, part.dtypes, strict=True)]
    data = [part.iloc[:, at].tolist() for at in range(part.shape[1])]
    if not isinstance(part.index, pandas.RangeIndex):
        # What rows are called is a column to people.
        levels = [part.index.get_level_values(at) for at in range(part.index.nlevels)]
        columns = [(name_of(level.name), str(level.dtype)) for level in levels] + columns
        data = [level.tolist() for level in levels] + data
    return columns, list(zip(*data, strict=True)) if data else [], total, width + len(data) - part.shape[1]


def of_polars(value: Any) -> Found | None:
    polars = sys.modules["polars"]

    if isinstance(value, polars.Series):
        value = value.to_frame()
    if not isinstance(value, polars.DataFrame):
        return None
    total, width = value.shape
    names = value.columns[:MOST_COLUMNS]
    part = value.select(names).head(most_rows(width))
    return [(name, str(part.schema[name])) for name in names], part.rows(), total, width


def of_numpy(value: Any) -> Found | None:
    numpy = sys.modules["numpy"]

    if not isinstance(value, numpy.ndarray) or value.ndim != 2 or 0 in value.shape or value.dtype.names:
        return None
    total, width = value.shape
    part = value[: most_rows(width), :MOST_COLUMNS].tolist()
    return [(str(at), str(value.dtype)) for at in range(min(width, MOST_COLUMNS))], part, total, width


def of_rows(value: list[Any] | tuple[Any, ...]) -> Found | None:
    if not value or not all(type(row) is dict for row in value):
        return None
    names = list(dict.fromkeys(name for row in value[:MOST_ROWS] for name in row))
    if not names:
        return None
    shown = names[:MOST_COLUMNS]
    rows = [[row.get(name) for name in shown] for row in value[: most_rows(len(shown))]]
    return typed(shown, rows), rows, len(value), len(names)


def of_columns(value: dict[Any, Any]) -> Found | None:
    lists = list(value.values())
    if not lists or not all(type(one) in (list, tuple) and len(one) == len(lists[0]) for one in lists) or not lists[0]:
        return None
    most = most_rows(len(lists))
    if any(isinstance(inner, (dict, list, tuple, set)) for one in lists for inner in one[:most]):
        return None
    shown = list(value)[:MOST_COLUMNS]
    rows = list(zip(*(value[name][:most] for name in shown), strict=True))
    return typed(shown, rows), rows, len(lists[0]), len(lists)


def typed(names: list[Any], rows: list[Any]) -> list[tuple[str, str]]:
    columns = []
    for at, name in enumerate(names):
        kinds = {type(row[at]).__name__ for row in rows if row[at] is not None}
        if kinds == {"int", "float"}:
            kinds = {"float"}
        columns.append((name_of(name), kinds.pop() if len(kinds) == 1 else "mixed" if kinds else ""))
    return columns


def name_of(name: Any) -> str:
    if isinstance(name, tuple):
        return " / ".join(str(part) for part in name)
    return "" if name is None else str(name)


def cell(value: Any) -> Any:
    """As JSON can carry it, with what a browser would round as text."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if -LARGEST_EXACT <= value <= LARGEST_EXACT else short(str(value))
    if kind is float:
        # Not a number shows as an empty cell; infinity is a value.
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if kind is str:
        return short(value)
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        # pandas has a time that is none; it is not equal to itself.
        return value.isoformat() if value == value else None  # noqa: PLR0124
    if kind.__name__ in ("NAType", "NaTType"):
        return None
    return short(str(value))


def short(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + "…"
