"""The command `miranda` as a person or a script starts it."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import unittest
from pathlib import Path

from miranda_cli.failures import Failure
from miranda_cli.logins import config_file, find_login, origin_of, save_login

from .folders import FolderCase

LOAD = """
from miranda import *

class Load(Node):
    data = Field(control=File())
    rows = Transmitter()

    def run(self):
        print("reading", self.data.name)
        self.rows.send(self.data.read_text())
"""
SHOW = """
from miranda import *

class Show(Node):
    rows = Receiver()

    def run(self):
        show(self.rows)
        log_model("line", {"loss": 0.5})
        print("secret", secret("api key"))
"""
FLOW = """
[nodes.load]
name = "Load"
[nodes.show]
name = "Show"
[values.load]
data = { file = "files/d.csv" }
[graph]
edges = [{ from = "load.rows", to = "show.rows" }]
"""


class RunTest(FolderCase):
    def setUp(self) -> None:
        super().setUp()
        self.workflow(FLOW, load=LOAD, show=SHOW)
        self.write("flow/files/d.csv", "1,2\n")

    def test_runs_a_folder_without_a_server_and_saves_its_outputs(self) -> None:
        done = self.miranda("run", "flow", MIRANDA_SECRET_API_KEY="42")
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in ("load: reading d.csv", "show: secret 42", 'model line: {"loss": 0.5}', "Done: 2 nodes ran."):
            self.assertIn(line, done.stdout)
        self.assertEqual(Path("outputs/show/1.txt").read_text(), "1,2\n")
        self.assertEqual(json.loads(Path("outputs/models.jsonl").read_text())["name"], "line")

    def test_a_node_that_fails_fails_the_command_and_is_named(self) -> None:
        done = self.miranda("run", "flow", "--json")
        self.assertEqual(done.returncode, 1)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(events[-1]["event"], "end")
        self.assertEqual((events[-1]["good"], events[-1]["failed"]), (False, ["show"]))
        self.assertIn("MIRANDA_SECRET_API_KEY", done.stdout)

    def test_nodes_that_end_their_process_fail_the_command(self) -> None:
        self.workflow(
            "[nodes.a]\n",
            a="from miranda import *\nimport os\nclass A(Node):\n    def run(self):\n        os._exit(7)\n",
        )
        for name in ("load", "show"):
            Path(f"flow/nodes/{name}.py").unlink()
        done = self.miranda("run", "flow")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit code 7", done.stderr)

    def test_node_code_does_not_see_the_token(self) -> None:
        self.workflow(
            "[nodes.a]\n",
            a="""
            from miranda import *
            import os

            class A(Node):
                def run(self):
                    print("token", os.environ.get("MIRANDA_TOKEN"))
            """,
        )
        for name in ("load", "show"):
            Path(f"flow/nodes/{name}.py").unlink()
        done = self.miranda("run", "flow", MIRANDA_TOKEN="s3cret", MIRANDA_URL="http://localhost:1")
        self.assertIn("token None", done.stdout)

    def test_what_is_wrong_with_a_folder_is_wrong_usage(self) -> None:
        Path("flow/nodes/show.py").unlink()
        done = self.miranda("run", "flow")
        self.assertEqual((done.returncode, done.stderr.strip()), (2, "The file nodes/show.py is missing."))


class UsageTest(FolderCase):
    def test_exit_codes_tell_wrong_usage_from_a_server_that_cannot_be_reached(self) -> None:
        self.assertEqual(self.miranda("fly").returncode, 2)
        self.assertEqual(self.miranda("pull", "not-an-id").returncode, 2)
        self.assertEqual(self.miranda("models").returncode, 3)
        done = self.miranda("models", "--json", MIRANDA_URL="http://127.0.0.1:1", MIRANDA_TOKEN="x")
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot be reached", json.loads(done.stdout)["error"])

    def test_the_bare_name_lists_the_commands(self) -> None:
        done = self.miranda()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Fetch a workflow, or a whole project, into a folder.", done.stderr)

    def test_a_folder_without_a_workflow_is_named_in_full(self) -> None:
        for command in ("push", "diff", "pull", "run"):
            done = self.miranda(command)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"No workflow is in {self.root.resolve()}\nFetch one first: miranda pull", done.stderr)
        done = self.miranda("push", "nowhere")
        self.assertEqual(
            (done.returncode, done.stderr.strip()), (2, f"There is no folder {self.root.resolve()}/nowhere")
        )

    def test_a_login_tries_the_address_before_it_asks_for_a_token(self) -> None:
        done = self.miranda("login", "http://127.0.0.1:1", "--with-token")
        self.assertEqual(done.returncode, 3)
        self.assertIn("http://127.0.0.1:1 cannot be reached", done.stderr)

    def test_completes_commands_and_options(self) -> None:
        bash = self.miranda("completion", "bash").stdout
        self.write("completion.bash", bash)
        script = 'source completion.bash; COMP_WORDS=(miranda pu); COMP_CWORD=1; _miranda; echo "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=self.root, check=True)
        self.assertEqual(done.stdout.split(), ["pull", "push"])
        script = 'source completion.bash; COMP_WORDS=(miranda push --m); COMP_CWORD=2; _miranda; echo "${COMPREPLY[@]}"'
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=self.root, check=True)
        self.assertEqual(done.stdout.split(), ["--mine"])
        self.assertTrue(self.miranda("completion", "zsh").stdout.startswith("#compdef miranda\n"))

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh_reads_its_script(self) -> None:
        self.write("completion.zsh", self.miranda("completion", "zsh").stdout)
        subprocess.run(["zsh", "-n", "completion.zsh"], cwd=self.root, check=True)


class LoginsTest(FolderCase):
    def setUp(self) -> None:
        super().setUp()
        before = dict(os.environ)
        self.addCleanup(os.environ.update, before)
        self.addCleanup(os.environ.clear)
        self.environment()

    def environment(self, **given: str) -> None:
        """Only these settings of the command, and a folder of its own for logins."""
        for name in [name for name in os.environ if name.startswith("MIRANDA_")]:
            del os.environ[name]
        os.environ.update(given, XDG_CONFIG_HOME=str(self.root))

    def test_only_the_owner_can_read_the_file_of_tokens(self) -> None:
        path = save_login("https://a.example", "t1", "ann")
        self.assertEqual(path, config_file())
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        save_login("https://b.example", "t2", "ann")
        self.assertEqual(find_login(None), ("https://b.example", "t2"))
        self.assertEqual(find_login("https://a.example"), ("https://a.example", "t1"))

    def test_a_token_of_the_environment_goes_to_its_own_server_only(self) -> None:
        save_login("https://a.example", "t1", "ann")
        self.environment(MIRANDA_TOKEN="t9")
        with self.assertRaisesRegex(Failure, "Set MIRANDA_URL"):
            find_login(None)
        self.environment(MIRANDA_TOKEN="t9", MIRANDA_URL="https://ci.example/x")
        self.assertEqual(find_login(None), ("https://ci.example", "t9"))
        self.assertEqual(find_login("https://a.example"), ("https://a.example", "t1"))

    def test_finds_the_server_in_any_address_of_it(self) -> None:
        self.assertEqual(origin_of("https://m.example:8443/project/1?x=2#y"), "https://m.example:8443")
        self.assertEqual(origin_of("m.example"), "https://m.example")
        for wrong in ("ftp://m.example", "https://", "http://h:99999"):
            with self.assertRaises(Failure):
                origin_of(wrong)
