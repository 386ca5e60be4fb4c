"""What differs between two folders."""

from __future__ import annotations

import unittest

from miranda_cli.differences import compare

LINE = "00000000-0000-4000-8000-00000000000"


def folder(toml: str, **codes: str) -> dict[str, bytes]:
    return {"workflow.toml": toml.encode(), **{f"nodes/{name}.py": code.encode() for name, code in codes.items()}}


class DifferencesTest(unittest.TestCase):
    def test_shows_code_as_a_unified_diff_and_the_rest_as_field_lines(self) -> None:
        before = folder(f'[nodes.a]\nname = "A"\nlineage = "{LINE}1"\n[values.a]\nrate = 1\n', a="x = 1\n")
        after = folder(f'[nodes.a]\nname = "A"\nlineage = "{LINE}1"\n[values.a]\nrate = 2\n', a="x = 2\n")
        found = compare(before, after, ("server", "folder"))
        self.assertIn("--- server/nodes/a.py\n+++ folder/nodes/a.py\n", found.as_text())
        self.assertIn("-x = 1\n+x = 2\n", found.as_text())
        self.assertIn("a.values.rate: 1 → 2", found.as_text())

    def test_a_node_with_another_name_is_the_same_node(self) -> None:
        edges = '[graph]\nedges = [{{ from = "{0}.o", to = "{0}.i" }}]\n'
        before = folder(f'[nodes.a]\nname = "A"\nlineage = "{LINE}1"\n' + edges.format("a"), a="x")
        after = folder(f'[nodes.b]\nname = "B"\nlineage = "{LINE}1"\n' + edges.format("b"), b="x")
        self.assertEqual(compare(before, after, ("server", "folder")).fields, [("b.name", "A", "B")])

    def test_the_version_that_a_folder_was_exported_from_is_no_difference(self) -> None:
        before, after = (folder(f'[workflow]\nversion = "{number}"\n') for number in (1, 2))
        self.assertFalse(compare(before, after, ("server", "folder")))

    def test_names_nodes_edges_and_groups_that_are_only_on_one_side(self) -> None:
        whole = f"""
[nodes.a]
lineage = "{LINE}1"
[graph]
edges = [{{ from = "a.o", to = "a.i" }}]
[groups.g]
name = "G"
members = ["a"]
"""
        found = compare(folder("", a=""), folder(whole, a="x\n"), ("server", "folder"))
        self.assertEqual([field for field, _, _ in found.fields], ["edge a.o → a.i", "group g"])
        self.assertEqual([name for name, _ in found.code], ["nodes/a.py"])
