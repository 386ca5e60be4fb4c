"""The graph that a folder is run as, and the folders that cannot be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from miranda_cli.failures import USAGE, Failure
from miranda_cli.folder import Folder
from miranda_cli.local_graph import LocalGraph

from .folders import FolderCase

NODE = """
from miranda import *

class N(Node):
    seed = Constant(1)
    rows = Receiver()
    rate = Field(0.1)
    out = Transmitter()
"""


class LocalGraphTest(FolderCase):
    def graph(self) -> dict[str, Any]:
        return LocalGraph(Folder(Path("flow")), Path("storage")).for_worker()

    def edges(self) -> list[tuple[int, str, int, str]]:
        return [(e["source"], e["transmitter"], e["target"], e["receiver"]) for e in self.graph()["edges"]]

    def refused(self, words: str) -> None:
        with self.assertRaisesRegex(Failure, words) as caught:
            self.graph()
        self.assertEqual(caught.exception.code, USAGE)

    def test_a_field_edge_reaches_the_same_field_of_every_node_downstream(self) -> None:
        self.workflow(
            """
            [nodes.a]
            [nodes.b]
            [nodes.c]
            [nodes.d]
            [graph]
            edges = [
              { from = "a.seed", to = "b.rate" },
              { from = "b.out", to = "c.rows" },
              { from = "c.out", to = "d.rows" },
              { from = "c.seed", to = "d.rate" },
            ]
            """,
            **dict.fromkeys("abcd", NODE),
        )
        self.assertIn((1, "seed", 3, "rate"), self.edges())
        self.assertNotIn((1, "seed", 4, "rate"), self.edges())

    def test_a_storage_policy_is_a_folder_and_a_bucket_keeps_its_settings(self) -> None:
        self.workflow(
            """
            [nodes.a]
            [nodes.b]
            [nodes.disk]
            class = "storage_policy"
            [nodes.s3]
            class = "storage_policy"
            [settings.disk]
            type = "volume"
            name = "my data"
            [settings.s3]
            type = "s3"
            bucket = "b"
            [graph]
            edges = [
              { from = "disk.storage", to = "a.storage" },
              { from = "s3.storage", to = "b.storage" },
            ]
            """,
            a=NODE,
            b=NODE,
        )
        nodes = {node["name"]: node for node in self.graph()["nodes"]}
        self.assertEqual(nodes["a"]["storage"], str(Path("storage/my_data")))
        self.assertEqual(nodes["b"]["storage"]["bucket"], "b")
        self.assertEqual(self.edges(), [])

    def test_values_are_plain_or_json_or_files(self) -> None:
        self.workflow(
            """
            [nodes.a]
            [values.a]
            rate = 2
            nothing = { json = "null" }
            data = { file = "files/d.csv", type = "text/csv" }
            """,
            a=NODE,
        )
        self.write("flow/files/d.csv", "1")
        values = self.graph()["nodes"][0]["values"]
        self.assertEqual((values["rate"], values["nothing"], values["data"]["name"]), (2, None, "d.csv"))
        self.workflow("[nodes.a]\n[values.a]\nday = 2020-01-01\n", a=NODE)
        self.refused("as text, in quotes")

    def test_refuses_what_the_server_refuses(self) -> None:
        self.workflow("[nodes.a]\n[nodes.b]\n", a=NODE)
        self.refused("nodes/b.py is missing")
        self.workflow('[nodes.a]\n[graph]\nedges = [{ from = "a.out", to = "z.rows" }]\n', a=NODE)
        (self.root / "flow/nodes/b.py").unlink(missing_ok=True)
        self.refused("leads to nowhere: there is no node z")
        self.workflow("[nodes.a]\n[nodes.A]\n", a=NODE)
        self.refused("have the same name")
        self.workflow('[nodes.a]\nsdk = "9.0.0"\n', a=NODE)
        self.refused("The node a needs version 9.0.0 of the SDK")
        self.workflow("[nodes.a]\n", a=NODE, stray="")
        self.refused("nodes/stray.py belongs to no node")
