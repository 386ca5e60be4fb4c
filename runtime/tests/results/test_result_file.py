from __future__ import annotations

import importlib.util
import os
import pickle
import tempfile
import unittest
from typing import Any

from miranda.execution.values import LARGEST_COPIED, Parcel, opened, pack
from miranda.results.result_file import ALIGNED, Damaged, Unkeepable, encode, lay_out, read, write

numpy: Any = importlib.import_module("numpy") if importlib.util.find_spec("numpy") else None
pandas: Any = importlib.import_module("pandas") if importlib.util.find_spec("pandas") else None


def anything(_module: str, _name: str) -> None:
    """Every class may be opened."""


class ResultFiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "result")

    def kept(self, *values: Any) -> list[Any]:
        outputs = [("out", pack(value, lambda kind: None)) for value in values]
        layout = lay_out(encode(outputs))
        if os.path.exists(self.path):
            os.unlink(self.path)
        write(self.path, layout)
        self.assertEqual(os.path.getsize(self.path), layout.size)
        return [value for _, value in read(self.path, anything)]

    def test_gives_back_what_was_sent(self) -> None:
        values = [1, None, "text", (1, "two"), [{"a": [1.5]}], b"short", b"long" * 100_000, {1, 2}, bytearray(b"x")]
        self.assertEqual([opened(value) for value in self.kept(*values)], values)
        self.assertEqual(self.kept(), [])

    def test_each_receiver_may_change_its_value(self) -> None:
        [value] = self.kept([1])
        opened(value).append(2)
        self.assertEqual(opened(value), [1])

    def test_refuses_a_file_that_was_cut_or_is_none(self) -> None:
        self.kept([1] * 100, b"x" * 200_000)
        with open(self.path, "rb") as file:
            whole = file.read()
        for content in (b"", b"miranda\1", whole[:40], whole[:-1], b"x" + whole[1:], b"miranda\1" + b"\xff" * 50):
            with open(self.path, "wb") as file:
                file.write(content)
            with self.assertRaises(Damaged):
                read(self.path, anything)

    def test_refuses_what_its_receivers_share(self) -> None:
        with self.assertRaises(Unkeepable):
            encode([("out", iter([]))])

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_writes_and_reads_arrays_without_copies(self) -> None:
        small, large = numpy.arange(1_000), numpy.zeros(LARGEST_COPIED // 8 + 1)
        layout = lay_out(encode([("out", pack(small, lambda kind: None)), ("out", pack(large, lambda kind: None))]))
        places = [at for at, part in layout.parts if isinstance(part, memoryview)]
        self.assertEqual([(len(layout.head) + at) % ALIGNED for at in places], [0, 0])
        first, second = self.kept(small, large)
        mine = opened(first)
        mine += 1
        self.assertTrue((opened(first) == small).all())
        self.assertFalse(opened(second).flags.writeable)
        self.assertTrue(numpy.shares_memory(opened(second), opened(second)))

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_reads_frames_that_may_be_changed(self) -> None:
        frame = pandas.DataFrame({"a": range(1_000), "b": ["x"] * 1_000})
        [value] = self.kept(frame)
        mine = opened(value)
        mine.loc[0, "a"] = 7
        self.assertTrue(opened(value).equals(frame))

    def test_a_class_that_is_gone_raises_when_it_is_read(self) -> None:
        data = pickle.dumps(Parcel, 5).replace(b"Parcel", b"Nobody")
        write(self.path, lay_out(encode([("out", Parcel(lambda: None, pickled=(data, [])))])))
        with self.assertRaises(AttributeError):
            read(self.path, anything)
