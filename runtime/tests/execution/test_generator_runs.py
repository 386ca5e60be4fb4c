from __future__ import annotations

import traceback
import unittest
from collections.abc import AsyncGenerator, Generator
from fractions import Fraction
from typing import Any

from miranda.execution.generator_runs import AnyGenerator, exhaust, is_generator

Call = tuple[float, "float | None", str]


def moves(generator: AnyGenerator) -> list[Call]:
    calls: list[Call] = []
    exhaust(generator, lambda done, total, label: calls.append((done, total, label)))
    return calls


def yielding(*values: Any) -> Generator[Any, None, None]:
    yield from values


async def yielding_later(*values: Any) -> AsyncGenerator[Any, None]:
    import asyncio

    for value in values:
        await asyncio.sleep(0)
        yield value


class Moves(unittest.TestCase):
    def test_r9_each_value_moves_the_bar(self) -> None:
        expected = [
            (0.0, 1, ""),
            (0.5, 1, ""),
            (0.5, 1, "fit"),
            (3, 10, "fit"),
            (4, 10, "predict"),
            (1.0, 1, "predict"),
        ]
        values = (0, 0.5, None, "fit", (3, 10), [4, 10, "predict"], 1)
        self.assertEqual(moves(yielding(*values)), expected)
        self.assertEqual(moves(yielding_later(*values)), expected)

    def test_a_label_may_come_first(self) -> None:
        self.assertEqual(moves(yielding("load", (1, 2))), [(0, None, "load"), (1, 2, "load")])

    def test_takes_the_numbers_of_other_packages(self) -> None:
        self.assertEqual(moves(yielding(Fraction(1, 4))), [(0.25, 1, "")])

    def test_a_run_that_yields_nothing_still_runs(self) -> None:
        ran: list[str] = []

        def run() -> Generator[None, None, None]:
            ran.append("first")
            yield
            ran.append("last")

        self.assertEqual(moves(run()), [])
        self.assertEqual(ran, ["first", "last"])

    def test_knows_a_generator(self) -> None:
        self.assertTrue(is_generator(yielding()))
        later = yielding_later()
        self.assertTrue(is_generator(later))
        self.assertFalse(is_generator([0.5]))
        self.assertFalse(is_generator(None))


class Refused(unittest.TestCase):
    def test_everything_else_is_refused_with_a_sentence(self) -> None:
        wrong: list[Any] = [
            2, -0.1, float("nan"), float("inf"), True, 1j, b"x", {"done": 1}, object(), (), (1,), (1, 2, 3),
            (1, 2, "a", 4),
            ("1", 2), (-1, 2), (1, None), (True, 2), [1, 2, b"x"],
        ]  # fmt: skip
        for value in wrong:
            for generator in (yielding(value), yielding_later(value)):
                with self.subTest(value), self.assertRaisesRegex(TypeError, r"a number from 0 to 1, \(done, total\)"):
                    moves(generator)

    def test_the_sentence_shows_the_value_shortly(self) -> None:
        with self.assertRaises(TypeError) as caught:
            moves(yielding([1] * 1_000))
        words = str(caught.exception)
        self.assertIn("It yielded [1, 1,", words)
        self.assertIn("(list)", words)
        self.assertLess(len(words), 400)

    def test_a_value_that_cannot_be_shown_is_refused_all_the_same(self) -> None:
        class Hostile:
            def __repr__(self) -> str:
                raise RuntimeError

        with self.assertRaisesRegex(TypeError, "a value without a text"):
            moves(yielding(Hostile()))

    def test_the_traceback_shows_the_line_that_yields(self) -> None:
        def run() -> Generator[Any, None, None]:
            yield 0.5
            yield {"rows": 3}

        try:
            moves(run())
        except TypeError as error:
            lines = [frame.line for frame in traceback.extract_tb(error.__traceback__)]
            self.assertIn('yield {"rows": 3}', lines)
        else:
            self.fail("It was not refused.")

    def test_a_run_that_catches_the_refusal_is_refused_anyway_and_cleaned_up(self) -> None:
        cleaned: list[str] = []

        def run() -> Generator[Any, None, None]:
            try:
                yield "a", "b"
            except TypeError:
                yield 0.5
            finally:
                cleaned.append("up")

        with self.assertRaises(TypeError):
            moves(run())
        self.assertEqual(cleaned, ["up"])


class Ends(unittest.TestCase):
    def test_what_the_run_raises_goes_on(self) -> None:
        def run() -> Generator[Any, None, None]:
            yield 0.5
            raise ValueError("no rows")

        with self.assertRaisesRegex(ValueError, "no rows"):
            moves(run())

    def test_an_interrupt_between_two_values_runs_finally(self) -> None:
        cleaned: list[str] = []

        def run() -> Generator[Any, None, None]:
            try:
                yield 0.5
                yield 1
            finally:
                cleaned.append("up")

        async def run_later() -> AsyncGenerator[Any, None]:
            try:
                yield 0.5
                yield 1
            finally:
                cleaned.append("up later")

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        for generator in (run(), run_later()):
            with self.assertRaises(KeyboardInterrupt):
                exhaust(generator, interrupted)
        self.assertEqual(cleaned, ["up", "up later"])


if __name__ == "__main__":
    unittest.main()
