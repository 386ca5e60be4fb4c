"""A workflow as a folder: reading, packing and writing it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from miranda_cli.failures import Failure
from miranda_cli.folder import Folder, find_folders, pack, unpack, write_files

from .folders import FolderCase


def zip_of(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as zipped:
        for name, data in files.items():
            zipped.writestr(name, data)
    return packed.getvalue()


class FolderTest(FolderCase):
    def test_packs_what_belongs_to_the_workflow_and_nothing_else(self) -> None:
        self.workflow(
            """
            [nodes.a]
            name = "A"
            [values.a]
            data = { file = "files/d.csv" }
            """,
            a="x = 1\n",
        )
        self.write("flow/files/d.csv", "1,2\n")
        self.write("flow/files/private.txt", "not named by any node")
        self.write("flow/README.md", "hello")
        files = Folder(Path("flow")).files()
        self.assertEqual(sorted(files), ["files/d.csv", "nodes/a.py", "workflow.toml"])
        wrapped = {f"flow/{name}": data for name, data in files.items()}
        self.assertEqual(unpack(pack(wrapped)), ("flow", files))

    def test_refuses_a_missing_file_and_names_it(self) -> None:
        self.workflow('[values.a]\ndata = { file = "files/d.csv" }\n[nodes.a]\n', a="")
        with self.assertRaisesRegex(Failure, "files/d.csv is missing"):
            Folder(Path("flow")).files()

    def test_refuses_a_path_and_a_link_that_lead_out_of_the_folder(self) -> None:
        self.write("secret.txt", "s3cret")
        self.workflow('[nodes.a]\n[values.a]\ndata = { file = "../secret.txt" }\n', a="")
        with self.assertRaisesRegex(Failure, "leads out of its folder"):
            Folder(Path("flow")).files()
        self.workflow("[nodes.a]\n", a="")
        (self.root / "flow/nodes/b.py").symlink_to(self.root / "secret.txt")
        with self.assertRaisesRegex(Failure, "leads out of its folder"):
            Folder(Path("flow")).files()

    def test_refuses_a_zip_of_the_server_that_would_write_elsewhere(self) -> None:
        for name in ("flow/../evil.py", "flow/nodes/../../evil.py", "flow/nodes/..", "flow/.git/config"):
            with self.assertRaisesRegex(Failure, "not part of a workflow"):
                unpack(zip_of(**{name: b""}))

    def test_a_second_name_in_the_toml_is_refused_with_its_line(self) -> None:
        self.workflow('[nodes.a]\nname = "A"\n[nodes.a]\nname = "B"\n', a="")
        with self.assertRaisesRegex(Failure, "line"):
            Folder(Path("flow"))

    def test_writes_what_changed_and_removes_only_files_of_the_workflow(self) -> None:
        self.workflow("[nodes.a]\n[nodes.b]\n", a="a", b="b")
        self.write("flow/nodes/notes.txt", "mine")
        self.write("flow/outputs/1.txt", "mine")
        toml = (self.root / "flow/workflow.toml").read_bytes().replace(b"[nodes.b]\n", b"")
        changed = write_files(Path("flow"), {"workflow.toml": toml, "nodes/a.py": b"a"})
        self.assertEqual(changed, ["nodes/b.py", "workflow.toml"])
        there = sorted(str(path.relative_to("flow")) for path in Path("flow").rglob("*") if path.is_file())
        self.assertEqual(there, ["nodes/a.py", "nodes/notes.txt", "outputs/1.txt", "workflow.toml"])

    def test_a_project_is_a_folder_of_workflows(self) -> None:
        self.write("project/one/workflow.toml", "format = 1")
        self.write("project/two/workflow.toml", "format = 1")
        self.assertEqual([folder.path.name for folder in find_folders(Path("project"))], ["one", "two"])
        with self.assertRaisesRegex(Failure, r"There is no folder"):
            find_folders(self.root / "nothing")
