"""The package as somebody uses it on a laptop, and the examples of docs/node-sdk.md."""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
import tempfile
import unittest

import miranda
from miranda import Constant, Field, Node, Receiver, Select, Slider, Transmitter
from miranda.debugging.locals_tree import locals_tree, value_tree
from miranda.declare import Refusal, declare, dependencies, inline_metadata
from miranda.files import file_value

DOCS = pathlib.Path(__file__).parents[2] / "docs" / "node-sdk.md"


class Train(Node):
    rows = Receiver("table")
    mode = Field("fast", control=Select("fast", "safe"))
    epochs = Field(10, control=Slider(1, 200))
    model = Transmitter("model")
    seed = Constant(42)

    def run(self) -> None:
        self.model.send((self.rows, self.mode, self.epochs, self.seed))


class Laptop(unittest.TestCase):
    def test_a_node_runs_and_can_be_tested_without_the_platform(self) -> None:
        node = Train()
        node.rows = [1, 2]
        node.epochs = 3
        node.run()
        self.assertEqual(node.model.sent, [([1, 2], "fast", 3, 42)])
        self.assertEqual(Train().epochs, 10)

    def test_two_instances_do_not_share_values(self) -> None:
        class Lists(Node):
            items = Field([])

        one, other = Lists(), Lists()
        one.items.append(1)
        self.assertEqual(other.items, [])

    def test_services_work_without_the_platform(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()) as output:
            miranda.show({"a": 1})
            miranda.log_model("m", {"loss": 1})
        self.assertIn("'a': 1", output.getvalue())
        os.environ["MIRANDA_SECRET_KEY_ONE"] = "v"
        self.assertEqual(miranda.secret("key-one"), "v")
        with self.assertRaises(KeyError):
            miranda.secret("nothing")
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                self.assertTrue(miranda.storage().is_dir())
            finally:
                os.chdir(before)


class Documentation(unittest.TestCase):
    def test_every_example_is_a_node_that_loads(self) -> None:
        examples = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
        nodes = [text for text in examples if "(Node)" in text]
        self.assertGreaterEqual(len(nodes), 5)
        for text in nodes:
            with self.subTest(text.splitlines()[0]):
                api = declare(text)
                self.assertIsNone(api["error"])

    def test_examples_with_asserts_hold(self) -> None:
        examples = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
        tested = [text for text in examples if "assert " in text]
        self.assertGreaterEqual(len(tested), 1)
        for text in tested:
            exec(compile(text, "node-sdk.md", "exec"), {"__name__": "example"})


class Declarations(unittest.TestCase):
    def test_reads_inline_metadata_of_pep_723(self) -> None:
        source = '# /// script\n# dependencies = ["numpy>=2", "rich"]\n# ///\nx = 1\n'
        self.assertEqual(dependencies(source), ["numpy>=2", "rich"])
        self.assertEqual(dependencies(source.replace("\n", "\r\n")), ["numpy>=2", "rich"])
        self.assertEqual(dependencies("x = 1"), [])

    def test_reads_long_comments_at_once(self) -> None:
        for source in ("# /// a\n" * 120_000, "# /// script\n# ///\n" * 50_000, "# /// script\n#\n" * 60_000):
            self.assertFalse(declare(source)["compiled"])

    def test_reads_a_block_up_to_its_last_closing_line(self) -> None:
        source = "# Tides\n# /// script\n# a = 1\n#\n# b = 2\n# ///\n# end\nx = 1\n"
        self.assertEqual(inline_metadata(source), {"a": 1, "b": 2})
        self.assertRaises(Refusal, inline_metadata, source.replace("# end", "# ///"))
        self.assertRaises(Refusal, inline_metadata, source + source)
        self.assertEqual(inline_metadata("# /// script\n# ///\n"), {})

    def test_finds_attributes_through_aliases_and_base_classes(self) -> None:
        source = (
            "import miranda as m\nfrom miranda import Field as F\n"
            "class Base(m.Node):\n    a = F(1)\nclass Leaf(Base):\n    b = m.Transmitter('x')\n"
        )
        api = declare(source)
        self.assertEqual([one["name"] for one in api["attributes"]], ["a", "b"])
        self.assertEqual(api["class"], "Leaf")

    def test_declares_file_and_code_controls(self) -> None:
        api = declare(
            "from miranda import *\nclass A(Node):\n    a = Field(control=File(accept='.csv'))\n"
            "    b = Field('select 1', control=Code('sql'))\n"
        )
        a, b = api["attributes"]
        self.assertEqual((a["kind"], a["value"], a["control"]), ("file", None, {"type": "file", "accept": ".csv"}))
        self.assertEqual((b["kind"], b["control"]), ("string", {"type": "code", "language": "sql"}))

    def test_a_file_of_the_platform_is_not_on_a_laptop(self) -> None:
        given = file_value({"file": "0" * 64, "name": "a.csv", "size": 1, "type": ""})
        self.assertEqual((given.name, given.size), ("a.csv", 1))
        with self.assertRaises(FileNotFoundError):
            open(given)  # noqa: SIM115 (nothing is opened)
        self.assertEqual(file_value("a.csv"), "a.csv")

    def test_arguments_that_are_not_literal_wait_for_compile(self) -> None:
        api = declare("from miranda import *\nN = 3\nclass A(Node):\n    a = Field(N)\n")
        self.assertEqual(api["attributes"][0]["value"], None)


class Locals(unittest.TestCase):
    def test_bounds_the_size_of_a_tree_of_values(self) -> None:
        class Raises:
            def __repr__(self) -> str:
                raise RuntimeError

        class Endless:
            def __repr__(self) -> str:
                while True:
                    pass

        Raises.__module__ = Endless.__module__ = "miranda_node_1"
        tree = locals_tree({"a": Raises(), "b": Endless(), "c": "x" * 10**7, "d": {n: n for n in range(1000)}})
        self.assertLess(len(tree["c"]), 3_000)
        self.assertEqual(len(tree["d"]), 101)
        self.assertEqual(value_tree(float("inf")), "inf")
        self.assertEqual(value_tree(2**60), str(2**60))
        self.assertEqual(value_tree({1: None}), {"1": None})


if __name__ == "__main__":
    unittest.main()
