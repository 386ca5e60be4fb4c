"""A `run` that yields: each value moves the progress bar of its node."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from types import AsyncGeneratorType, GeneratorType
from typing import Any

#: Called with how much is done, how much there is to do (None: unknown), and a label.
Progress = Callable[[float, "float | None", str], None]
AnyGenerator = Generator[Any, Any, Any] | AsyncGenerator[Any, Any]

LONGEST_VALUE = 60
EXPECTED = (
    "A run may yield how far it is: a number from 0 to 1, (done, total), (done, total, label), a text as the label, "
    "or nothing"
)


def is_generator(result: Any) -> bool:
    return isinstance(result, (GeneratorType, AsyncGeneratorType))


def exhaust(generator: AnyGenerator, progress: Progress) -> None:
    """
    Runs a generator to its end. TypeError for a value that is no progress: raised where the generator yields it, so
    that the traceback shows the line.
    """
    bar = Bar(progress)
    if isinstance(generator, AsyncGenerator):
        import asyncio

        asyncio.run(exhaust_async(generator, bar))
        return
    try:
        for value in generator:
            wrong = bar.move(value)
            if wrong is not None:
                generator.throw(wrong)
                # It went on as if nothing had been wrong.
                raise wrong
    finally:
        # Its own `finally` must run now, not when the generator is collected.
        generator.close()


async def exhaust_async(generator: AsyncGenerator[Any, Any], bar: Bar) -> None:
    try:
        async for value in generator:
            wrong = bar.move(value)
            if wrong is not None:
                await generator.athrow(wrong)
                raise wrong
    finally:
        await generator.aclose()


class Bar:
    """What was yielded last: a label alone keeps the numbers, and numbers alone keep the label."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.done: float = 0
        self.total: float | None = None
        self.label = ""

    def move(self, value: Any) -> TypeError | None:
        """An error when the value is no progress."""
        if value is None:
            return None
        if isinstance(value, str):
            self.label = value
        elif is_number(value) and 0 <= value <= 1:
            self.done, self.total = float(value), 1
        elif not isinstance(value, (tuple, list)) or not self.move_to(*value):
            return refusal(value)
        self.progress(self.done, self.total, self.label)
        return None

    def move_to(self, done: Any = None, total: Any = None, label: Any = None, *more: Any) -> bool:
        if more or not is_amount(done) or not is_amount(total) or not (label is None or isinstance(label, str)):
            return False
        self.done, self.total = done, total
        if label is not None:
            self.label = label
        return True


def is_number(value: Any) -> bool:
    if isinstance(value, (bool, complex)):
        return False
    if isinstance(value, (int, float)):
        return True
    # numpy's numbers too.
    from numbers import Real

    return isinstance(value, Real)


def is_amount(value: Any) -> bool:
    return is_number(value) and 0 <= value < float("inf")


def refusal(value: Any) -> TypeError:
    try:
        shown = repr(value)
    except Exception:
        shown = "a value without a text"
    shown = shown if len(shown) <= LONGEST_VALUE else f"{shown[:LONGEST_VALUE]}…"
    kind = type(value).__name__
    return TypeError(f"{EXPECTED}. It yielded {shown} ({kind}). Send results with self.<transmitter>.send(value).")
