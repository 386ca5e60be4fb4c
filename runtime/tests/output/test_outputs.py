from __future__ import annotations

import datetime
import importlib.util
import io
import json
import sys
import time
import unittest
from typing import Any
from unittest import mock

from miranda import services
from miranda.output import progress_bars as bars_module
from miranda.output import tables
from miranda.output.display import mime_bundle
from miranda.output.outputs import MOST_PER_RUN, Outputs
from miranda.output.progress_bars import Bars
from miranda.output.tables import MIME, MOST_CELLS, MOST_COLUMNS, MOST_ROWS

has_pandas = importlib.util.find_spec("pandas") is not None
has_polars = importlib.util.find_spec("polars") is not None
has_numpy = importlib.util.find_spec("numpy") is not None
has_tqdm = importlib.util.find_spec("tqdm") is not None


def table_of(value: object) -> Any:
    return tables.table_of(value)


def names(table: Any) -> list[tuple[str, str]]:
    return [(column["name"], column["type"]) for column in table["columns"]]


class Tables(unittest.TestCase):
    def test_rows_keep_the_order_and_the_types_of_their_columns(self) -> None:
        table = table_of([{"z": 1, "a": 0.5}, {"z": 2, "m": "x", "a": 1}])
        self.assertEqual(names(table), [("z", "int"), ("a", "float"), ("m", "str")])
        self.assertEqual(table["rows"], [[1, 0.5, None], [2, 1, "x"]])
        self.assertEqual((table["total"], table["total_columns"]), (2, 3))

    def test_columns_of_one_length_are_a_table_and_others_are_not(self) -> None:
        self.assertEqual(table_of({"x": [1, 2], "y": ["a", None]})["rows"], [[1, "a"], [2, None]])
        dicts = [{"x": [1], "y": [1, 2]}, {"x": 1}, {}, {"x": []}, {"x": [[1]]}]
        for other in (*dicts, [], [1, 2], [{}], [{"a": 1}, 2], "text", None):
            self.assertIsNone(table_of(other), other)

    def test_cuts_a_long_or_wide_table_and_keeps_its_totals(self) -> None:
        long = table_of([{"n": at} for at in range(MOST_ROWS + 5)])
        self.assertEqual((len(long["rows"]), long["total"]), (MOST_ROWS, MOST_ROWS + 5))
        wide = table_of([{str(at): at for at in range(MOST_COLUMNS + 5)}] * 1_000)
        self.assertEqual((len(wide["columns"]), wide["total_columns"]), (MOST_COLUMNS, MOST_COLUMNS + 5))
        self.assertLessEqual(len(wide["rows"]) * len(wide["columns"]), MOST_CELLS)
        heavy = table_of([{"text": "x" * 5_000, "more": "y" * 5_000} for _ in range(1_000)])
        self.assertLess(len(json.dumps(heavy)), 1_600_000)
        self.assertEqual(heavy["total"], 1_000)

    def test_cells_are_what_json_and_a_browser_can_carry(self) -> None:
        rows = [{"v": value} for value in (float("nan"), float("inf"), 1 << 60, datetime.date(2026, 1, 2), True, b"x")]
        self.assertEqual(
            [row[0] for row in table_of(rows)["rows"]], [None, "inf", str(1 << 60), "2026-01-02", True, "b'x'"]
        )

    def test_shows_a_long_list_of_rows_as_a_table_only(self) -> None:
        bundle, _ = mime_bundle([{"n": at} for at in range(5_000)])
        self.assertIn(MIME, bundle)
        self.assertNotIn("application/json", bundle)
        short, _ = mime_bundle([{"n": 1}])
        self.assertEqual(short["application/json"], [{"n": 1}])

    def test_shows_no_table_when_a_cell_cannot_be_read(self) -> None:
        class Odd:
            def __str__(self) -> str:
                raise ValueError("no")

        self.assertIsNone(table_of([{"a": Odd()}]))

    @unittest.skipUnless(has_pandas, "pandas is not installed")
    def test_shows_a_pandas_frame_as_a_table(self) -> None:
        pandas: Any = importlib.import_module("pandas")

        frame = pandas.DataFrame(
            {"when": pandas.to_datetime(["2026-01-02", None]), "x": [0.5, None], "n": pandas.array([1, None], "Int64")},
            index=pandas.Index(["a", "b"], name="key"),
        )
        table = table_of(frame)
        self.assertEqual([name for name, _ in names(table)], ["key", "when", "x", "n"])
        self.assertEqual(table["rows"], [["a", "2026-01-02T00:00:00", 0.5, 1], ["b", None, None, None]])
        self.assertIn("text/html", mime_bundle(frame)[0])
        grouped = pandas.DataFrame({("a", "mean"): [1], ("a", "max"): [2]})
        self.assertEqual([name for name, _ in names(table_of(grouped))], ["a / mean", "a / max"])
        self.assertEqual(table_of(pandas.Series([1, 2], name="s"))["rows"], [[1], [2]])
        self.assertEqual(table_of(pandas.DataFrame({"a": []}))["total"], 0)
        twins = pandas.DataFrame([[1, 2]], columns=["a", "a"])
        self.assertEqual(table_of(twins)["rows"], [[1, 2]])

    @unittest.skipUnless(has_polars, "polars is not installed")
    def test_shows_a_polars_frame_as_a_table(self) -> None:
        polars: Any = importlib.import_module("polars")

        table = table_of(polars.DataFrame({"z": [1, None], "a": ["x", "y"]}))
        self.assertEqual(names(table), [("z", "Int64"), ("a", "String")])
        self.assertEqual(table["rows"], [[1, "x"], [None, "y"]])

    @unittest.skipUnless(has_numpy, "numpy is not installed")
    def test_shows_a_two_dimensional_array_as_a_table(self) -> None:
        numpy: Any = importlib.import_module("numpy")

        table = table_of(numpy.arange(6).reshape(3, 2))
        self.assertEqual(names(table), [("0", "int64"), ("1", "int64")])
        self.assertEqual(table["rows"], [[0, 1], [2, 3], [4, 5]])
        self.assertIsNone(table_of(numpy.arange(3)))


class Shown(unittest.TestCase):
    def setUp(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.warnings: list[str] = []
        self.outputs = Outputs(self.sent.append, self.warnings.append)

    def show(self, text: str, id: str | None = None, node: int = 7) -> None:
        self.outputs.show(node, 1, {"text/plain": text}, {}, id)

    def texts(self) -> list[tuple[int, str]]:
        return [(event["number"], event["data"]["text/plain"]) for event in self.sent]

    def test_an_output_with_an_id_keeps_its_number(self) -> None:
        self.show("first")
        self.show("0.5", "loss")
        self.show("last")
        time.sleep(0.11)
        self.show("0.4", "loss")
        self.assertEqual(self.texts(), [(1, "first"), (2, "0.5"), (3, "last"), (2, "0.4")])

    def test_sends_the_first_and_the_newest_of_a_thousand_updates(self) -> None:
        for at in range(1_000):
            self.show(str(at), "loss")
        self.outputs.send_waiting(is_end=True)
        self.assertEqual(self.texts()[0], (1, "0"))
        self.assertEqual(self.texts()[-1], (1, "999"))
        self.assertLess(len(self.sent), 100)
        self.outputs.send_waiting(is_end=True)
        self.assertEqual(self.texts()[-1], (1, "999"))
        self.assertEqual(self.warnings, [])

    def test_keeps_outputs_of_two_nodes_with_one_id_apart(self) -> None:
        self.show("a", "loss", node=1)
        self.show("b", "loss", node=2)
        self.assertEqual(self.texts(), [(1, "a"), (1, "b")])

    def test_a_node_shows_at_most_a_hundred_outputs_and_warns_once(self) -> None:
        for at in range(MOST_PER_RUN + 20):
            self.show(str(at))
        self.assertEqual(len(self.sent), MOST_PER_RUN)
        self.assertEqual(len(self.warnings), 1)

    def test_drops_only_the_largest_part_of_a_large_output(self) -> None:
        rich = {"text/plain": "small", "text/html": "<b>small</b>", "application/json": ["x" * 1_000] * 4_100}
        self.outputs.show(7, 1, rich, {}, None)
        self.assertEqual(sorted(self.sent[0]["data"]), ["text/html", "text/plain"])

    def test_an_id_is_a_short_text(self) -> None:
        for id in ("", "x" * 201, 3):
            with self.assertRaisesRegex(ValueError, "id of an output"):
                services.show(1, id=id)  # type: ignore[arg-type]


class Progress(unittest.TestCase):
    def setUp(self) -> None:
        self.bars = Bars()

    def test_sends_a_bar_at_most_ten_times_a_second_and_removes_it_with_its_node(self) -> None:
        self.bars.set(7, "epochs", 1, 10, "epochs")
        self.assertEqual(self.bars.take({}), {7: [{"label": "epochs", "done": 1, "total": 10}]})
        self.bars.set(7, "epochs", 2, 10, "epochs")
        with mock.patch.object(bars_module, "SEND_EVERY", 60):
            self.assertEqual(self.bars.take({}), {})
        time.sleep(bars_module.SEND_EVERY)
        self.assertEqual(self.bars.take({})[7][0]["done"], 2)
        self.bars.set(7, "epochs", 3, 10, "epochs")
        self.assertEqual(self.bars.take({7: "done"}), {7: []})
        self.assertEqual(self.bars.take({}), {})

    def test_ignores_amounts_that_are_not_numbers(self) -> None:
        self.bars.set(7, "a", float("nan"), -1, "x" * 500)
        (bar,) = self.bars.take({})[7]
        self.assertEqual((bar["done"], bar["total"], len(bar["label"])), (0, None, 100))

    def test_a_node_has_eight_bars_and_full_ones_go_first(self) -> None:
        for at in range(8):
            self.bars.set(7, at, 1 if at == 5 else 0, 1, str(at))
        self.bars.set(7, "new", 0, 1, "new")
        labels = [bar["label"] for bar in self.bars.take({})[7]]
        self.assertEqual(labels, ["0", "1", "2", "3", "4", "6", "7", "new"])

    def test_ignores_bars_outside_a_node(self) -> None:
        self.bars.set(None, "a", 1, 2, "a")
        self.assertEqual(self.bars.take({}), {})

    @unittest.skipUnless(has_tqdm, "tqdm is not installed")
    def test_tqdm_moves_a_bar_and_leaves_one_line(self) -> None:
        from miranda.output.tqdm_bars import watch_tqdm

        watch_tqdm(self.bars, lambda: 7)
        before, sys.stderr = sys.stderr, io.StringIO()
        try:
            from tqdm.auto import tqdm

            for _ in tqdm(range(50), desc="epochs", mininterval=0):
                pass
            with tqdm(total=3, desc="kept out", leave=False) as other:
                other.update(2)
            written = sys.stderr.getvalue()
        finally:
            sys.stderr = before
        self.assertEqual(self.bars.take({}), {7: [{"label": "epochs", "done": 50, "total": 50}]})
        self.assertEqual(written.count("\n"), 1)
        self.assertNotIn("\r", written)
        self.assertIn("50/50", written)
        own = io.StringIO()
        for _ in tqdm(range(3), file=own):
            pass
        self.assertIn("\r", own.getvalue())


if __name__ == "__main__":
    unittest.main()
