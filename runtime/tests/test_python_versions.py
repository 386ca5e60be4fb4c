from __future__ import annotations

import unittest
from typing import Any
from unittest import mock

from miranda.packages import python_versions
from miranda.packages.python_versions import WrongSpecifier, is_met, refusal
from miranda.packages.wanted import Unusable, collect

from .graphs import node
from .test_packages import states_of


def wanting(specifier: str) -> dict[str, Any]:
    given = node(1, "def run(self): pass")
    block = f"# /// script\n# dependencies = []\n# requires-python = {specifier}\n# ///\n"
    return {**given, "name": "Train", "source_code": block + given["source_code"]}


class Specifiers(unittest.TestCase):
    def test_compares_as_pep_440_says(self) -> None:
        for specifier, met, not_met in (
            ("==3.12.*", ["3.12.0", "3.12.9"], ["3.13.0", "3.1.2"]),
            ("!=3.12.*", ["3.13.0"], ["3.12.1"]),
            ("==3.12", ["3.12.0"], ["3.12.1"]),
            ("!=3.12.1", ["3.12.0"], ["3.12.1"]),
            (">=3.11", ["3.11.0", "3.13.2"], ["3.10.9"]),
            (">=3.11, <3.13", ["3.11.7", "3.12.1"], ["3.13.0"]),
            ("<=3.12", ["3.12.0"], ["3.12.1"]),
            (">3.12", ["3.12.1"], ["3.12.0"]),
            ("<3.13", ["3.12.9"], ["3.13.0"]),
            ("~=3.12", ["3.12.0", "3.14.1"], ["3.11.9", "4.0.0"]),
            ("~=3.12.1", ["3.12.1", "3.12.7"], ["3.12.0", "3.13.1"]),
            (">=3.13.0rc1", ["3.13.0"], ["3.12.9"]),
            ("<3.13.0b2", ["3.12.9"], ["3.13.0"]),
            (">3.13.0.post1", ["3.13.1"], ["3.13.0"]),
            ("==3.13.0+local", [], ["3.13.0"]),
            ("===3.13.0", ["3.13.0"], ["3.13.1"]),
            ("==1!3.13.0", [], ["3.13.0"]),
            (">=3", ["3.11.0"], []),
            ("", ["3.11.0"], []),
            (">=3.11,", ["3.11.0"], []),
        ):
            for version in met:
                with self.subTest(specifier, version=version):
                    self.assertTrue(is_met(specifier, version))
            for version in not_met:
                with self.subTest(specifier, version=version):
                    self.assertFalse(is_met(specifier, version))

    def test_refuses_what_compares_nothing(self) -> None:
        for wrong in (
            "3.12",
            "^3.11",
            "=3.12",
            ">=3.12.*",
            "~=3",
            "python>=3.11",
            ">=x",
            ">=3.11 <3.13",
            "<3+a",
            ">" * 300,
        ):
            with self.subTest(wrong), self.assertRaises(WrongSpecifier):
                is_met(wrong, "3.13.0")

    def test_is_not_slow_for_hostile_text(self) -> None:
        with self.assertRaises(WrongSpecifier):
            is_met(">=" + "1." * 90 + "x", "3.13.0")


class Refused(unittest.TestCase):
    def setUp(self) -> None:
        fixed = mock.patch.object(python_versions, "own_version", return_value="3.13.0")
        fixed.start()
        self.addCleanup(fixed.stop)

    def test_r8_names_the_node_what_it_asks_for_and_the_pythons_that_exist(self) -> None:
        asks = "Train asks for Python ==3.12.*, and this session has Python 3.13.0."
        self.assertEqual(refusal("Train", "==3.12.*", []), asks)
        self.assertEqual(
            refusal("Train", "==3.12.*", ["3.11.7", "3.12.1", "3.13.0"]),
            f"{asks} The machine also has 3.11.7 and 3.12.1; all sessions use one Python, and the operator chooses it.",
        )
        self.assertEqual(
            refusal("Train", "==3.12.*", ["3.11", "3.13.0"]),
            f"{asks} The machine also has 3.11, which does not fit either.",
        )
        self.assertEqual(
            refusal("Train", ">=4", ["3.11.7", "3.12.1"]),
            "Train asks for Python >=4, and this session has Python 3.13.0. "
            "The machine also has 3.11.7 and 3.12.1; none of them fits.",
        )
        self.assertIsNone(refusal("Train", ">=3.11", []))

    def test_says_what_a_wrong_specifier_should_be(self) -> None:
        self.assertEqual(
            refusal("Train", ">=3.11, 3.12", []),
            'Train: requires-python has \'3.12\', which compares no versions. Write it as in ">=3.11" or "==3.12.*".',
        )

    def test_refuses_a_node_at_the_line_that_asks(self) -> None:
        for given, words in (
            ('"==3.12.*"', "Train asks for Python ==3.12.*"),
            ('"3.12"', "compares no versions"),
            ("312", "is not a text"),
        ):
            with self.subTest(given), self.assertRaisesRegex(Unusable, words.replace("*", r"\*")) as caught:
                collect(list(states_of(wanting(given)).nodes.values()), ["3.11.7"])
            self.assertEqual(caught.exception.line, 3 if given != "312" else 1)
        self.assertEqual(collect(list(states_of(wanting('">=3.11"')).nodes.values())), [])
        disabled = {**wanting('"==3.12.*"'), "disabled": True}
        self.assertEqual(collect(list(states_of(disabled).nodes.values())), [])


if __name__ == "__main__":
    unittest.main()
