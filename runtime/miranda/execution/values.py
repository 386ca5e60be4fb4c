"""
Every receiver gets its own copy of a value, made when the value was sent, and the cache keeps another.

Values that cannot change are not copied. Others are put into a Parcel when they are sent, and each reader opens it.
The fastest way to copy each type was measured: docs/decisions/0011-values-are-copied-for-each-receiver.md.
"""

# This looks at values of any type.
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

#: Types whose values cannot change, or are shared anyway.
UNCHANGEABLE = frozenset(
    (
        int, float, complex, bool, str, bytes, type(None), type(Ellipsis), range, slice, type,
        types.FunctionType, types.BuiltinFunctionType, types.ModuleType,
    )
)  # fmt: skip
#: Those that the worker itself may hold.
PLAIN = frozenset((int, float, complex, bool, str, bytes, type(None), type(Ellipsis)))
#: In bytes. A larger array is not copied: it becomes read-only, for its sender too.
LARGEST_COPIED = 64 << 20


def is_plain(given: list[tuple[str, Any]]) -> bool:
    """Values with which nobody can reach anything."""
    for _, value in given:  # noqa: SIM110 (three times as fast as `all`, at each node)
        if type(value) not in PLAIN:
            return False
    return True


class Parcel:
    """What was sent, so that each reader gets a value of its own."""

    __slots__ = ("kept", "open", "pickled")

    def __init__(
        self,
        opening: Callable[[], Any],
        kept: Any = None,
        pickled: tuple[bytes, Sequence[bytes | memoryview]] | None = None,
    ) -> None:
        self.open = opening
        #: To be looked at and never handed out.
        self.kept = kept
        #: The value as a pickle and its buffers, where it is kept like that.
        self.pickled = pickled

    def look(self) -> Any:
        return self.open() if self.kept is None else self.kept


def opened(value: Any) -> Any:
    return value.open() if type(value) is Parcel else value


def seen(value: Any) -> Any:
    """A value to look at and not to change."""
    return value.look() if type(value) is Parcel else value


def pack(value: Any, on_shared: Callable[[str], None]) -> Any:
    """The value itself or a Parcel of it. `on_shared` gets the type of a value that cannot be copied."""
    kind = type(value)
    if kind in UNCHANGEABLE:
        return value
    if kind in (tuple, frozenset) and all(type(part) in UNCHANGEABLE for part in value):
        return value
    maker = MAKERS.get(kind.__module__.partition(".")[0])
    try:
        parcel = maker(value) if maker is not None else None
        return parcel or pickled(value)
    except Exception:
        pass
    try:
        return deeply_copied(value)
    except Exception:
        on_shared(kind.__name__)
        return value


def own(value: Any) -> Any:
    """For settings, which are small: a value that its reader may change."""
    if type(value) in UNCHANGEABLE:
        return value
    return opened(pack(value, lambda kind: None))


def pickled(value: Any) -> Parcel:
    """Much faster than deepcopy for most values. Large buffers inside are shared, and read-only."""
    import pickle

    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, 5, buffer_callback=buffers.append)
    if not buffers:
        return Parcel(partial(pickle.loads, data), pickled=(data, []))
    kept = [bytes(buffer.raw()) for buffer in buffers]

    def opening() -> Any:
        return pickle.loads(data, buffers=[one if len(one) > LARGEST_COPIED else bytearray(one) for one in kept])

    return Parcel(opening, pickled=(data, kept))


def deeply_copied(value: Any) -> Parcel:
    from copy import deepcopy

    kept = deepcopy(value)
    return Parcel(partial(deepcopy, kept), kept)


def of_numpy(value: Any) -> Parcel | None:
    numpy = sys.modules["numpy"]
    if type(value) is not numpy.ndarray or value.dtype.hasobject:
        return None
    if value.nbytes <= LARGEST_COPIED:
        kept = value.copy()
        return Parcel(kept.copy, kept)
    # What is a part of another array could still be changed through that one.
    kept = value if value.flags.owndata else value.copy()
    kept.flags.writeable = False
    return Parcel(kept.view, kept)


def of_pandas(value: Any) -> Parcel | None:
    pandas = sys.modules["pandas"]
    if not isinstance(value, (pandas.DataFrame, pandas.Series)):
        return None
    # From version 3 on, a shallow copy is copied when it is changed.
    deep = int(pandas.__version__.partition(".")[0]) < 3
    kept = value.copy(deep=deep)
    return Parcel(partial(kept.copy, deep=deep), kept)


def of_polars(value: Any) -> Parcel | None:
    polars = sys.modules["polars"]
    if not isinstance(value, (polars.DataFrame, polars.Series)):
        return None
    kept = value.clone()
    return Parcel(kept.clone, kept)


def of_pyarrow(value: Any) -> Parcel | None:
    pyarrow = sys.modules["pyarrow"]
    # Nothing in them can be changed.
    unchangeable = (pyarrow.Table, pyarrow.RecordBatch, pyarrow.Array, pyarrow.ChunkedArray, pyarrow.Schema)
    return Parcel(lambda: value, value) if isinstance(value, unchangeable) else None


def of_torch(value: Any) -> Parcel | None:
    torch = sys.modules["torch"]
    if isinstance(value, torch.Tensor):
        kept = value.clone()
        return Parcel(kept.clone, kept)
    return deeply_copied(value) if isinstance(value, torch.nn.Module) else None


MAKERS: dict[str, Callable[[Any], Parcel | None]] = {
    "numpy": of_numpy,
    "pandas": of_pandas,
    "polars": of_polars,
    "pyarrow": of_pyarrow,
    "torch": of_torch,
}
