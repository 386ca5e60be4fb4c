"""The page of the handbook about the SDK has everything that the package has."""

from __future__ import annotations

import unittest

from . import sdk_reference


class Reference(unittest.TestCase):
    def test_every_name_and_argument_has_a_text(self) -> None:
        self.assertEqual(sdk_reference.undocumented(), [])

    def test_the_page_is_what_the_package_says(self) -> None:
        hint = "Run `python -m tests.handbook.sdk_reference` in runtime/."
        self.assertEqual(sdk_reference.PAGE.read_text(), sdk_reference.page(), hint)
        self.assertEqual(sdk_reference.NAMES.read_text(), sdk_reference.names(), hint)
