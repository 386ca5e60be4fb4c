from __future__ import annotations

import importlib.util
import threading
import unittest
from typing import Any

from miranda.execution.values import Parcel, opened, pack

from ..graphs import Bench, edge, node

SENDER = node(
    1, "out = Transmitter()\ndef run(self):\n    rows = [10, 20]\n    self.out.send(rows)\n    rows.append(30)"
)


def doubler(by: int) -> dict[str, Any]:
    body = f"""
    rows = Receiver()
    out = Transmitter()
    def run(self):
        for at in range(len(self.rows)):
            self.rows[at] *= {by}
        self.out.send(self.rows)
    """
    return node(2, body)


READER = node(3, "rows = Receiver()\ndef run(self):\n    self.got = self.rows")


class Values(unittest.TestCase):
    def graph(self) -> Bench:
        edges = [edge(1, "out", 2, "rows"), edge(1, "out", 3, "rows"), edge(2, "out", 4, "rows")]
        return Bench([SENDER, doubler(2), READER, {**READER, "id": 4, "name": "N4"}], edges)

    def test_a_reader_does_not_see_changes_of_another_reader(self) -> None:
        bench = self.graph()
        self.assertTrue(bench.run())
        self.assertEqual(bench.instance(3).got, [10, 20])
        self.assertEqual(bench.instance(4).got, [20, 40])

    def test_a_cached_value_is_sent_again_unchanged(self) -> None:
        bench = self.graph()
        bench.run()
        bench.given["nodes"][1] = doubler(3)
        self.assertTrue(bench.run())
        self.assertEqual(bench.plan()[1][0], False)
        self.assertEqual(bench.instance(4).got, [30, 60])

    def test_a_field_that_node_code_changes_is_reset_for_the_next_run(self) -> None:
        grower = node(1, "names = Field([])\ncache = False\ndef run(self):\n    self.names.append(1)")
        bench = Bench([{**grower, "values": {"names": [7]}}])
        bench.run()
        bench.run()
        self.assertEqual(bench.instance(1).names, [7, 1])
        self.assertEqual(bench.given["nodes"][0]["values"], {"names": [7]})

    def test_does_not_copy_immutable_values(self) -> None:
        for value in (1, "text", None, b"bytes", (1, "a"), frozenset((1,)), len, Values):
            self.assertIs(pack(value, self.fail), value)

    def test_shares_values_that_cannot_be_copied_and_warns_once(self) -> None:
        body = """
            out = Transmitter()
            def run(self):
                import threading
                [self.out.send(threading.Lock()) for _ in "ab"]
            """
        bench = Bench([node(1, body), READER], [edge(1, "out", 3, "rows")])
        self.assertTrue(bench.run())
        self.assertEqual(bench.remarks, ["N1 sends a value that cannot be copied (lock): its receivers share it."])

    def test_copies_with_deepcopy_what_cannot_be_pickled(self) -> None:
        class Local:
            def __init__(self) -> None:
                self.parts = [1]

        given = Local()
        first = opened(pack(given, self.fail))
        given.parts.append(2)
        self.assertEqual(first.parts, [1])

    def test_a_node_that_sends_itself_is_not_copied(self) -> None:
        bench = Bench(
            [node(1, "out = Transmitter()\ndef run(self):\n    self.out.send(self)"), READER],
            [edge(1, "out", 3, "rows")],
        )
        self.assertTrue(bench.run())
        self.assertIn("N1 object", bench.instance(3).got)

    def test_many_threads_may_open_one_parcel(self) -> None:
        parcel = pack({"rows": [1, 2]}, self.fail)
        self.assertIsInstance(parcel, Parcel)
        got: list[Any] = []
        threads = [threading.Thread(target=lambda: got.append(parcel.open())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        got[0]["rows"].append(3)
        self.assertEqual([one["rows"] for one in got[1:]], [[1, 2]] * 7)


numpy: Any = importlib.import_module("numpy") if importlib.util.find_spec("numpy") else None


@unittest.skipIf(numpy is None, "numpy is not installed")
class Arrays(unittest.TestCase):
    def test_a_small_array_is_copied_for_each_reader(self) -> None:
        given = numpy.arange(4)
        parcel = pack(given, self.fail)
        given[0] = 9
        first = parcel.open()
        first *= 2
        self.assertEqual(parcel.open().tolist(), [0, 1, 2, 3])

    def test_a_large_array_is_shared_and_read_only(self) -> None:
        given = numpy.zeros((64 << 20) + 1, dtype="u1")
        got = pack(given, self.fail).open()
        self.assertTrue(numpy.shares_memory(given, got))
        for one in (given, got):
            with self.assertRaises(ValueError):
                one[0] = 1

    def test_a_part_of_a_large_array_does_not_change_with_the_whole(self) -> None:
        whole = numpy.zeros((64 << 20) + 10, dtype="u1")
        got = pack(whole[5:], self.fail).open()
        whole[5] = 1
        self.assertEqual(got[0], 0)

    def test_arrays_in_other_values_can_be_changed(self) -> None:
        got = pack({"x": numpy.arange(3)}, self.fail).open()
        got["x"] += 1
        self.assertEqual(got["x"].tolist(), [1, 2, 3])


if __name__ == "__main__":
    unittest.main()
