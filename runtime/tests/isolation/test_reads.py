"""What a run read besides its inputs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from miranda.isolation import reads as module
from miranda.isolation.reads import Reads
from miranda.isolation.seen import Seen, both, changed_since


class Recorded(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        os.environ.update(ONE="1", OTHER="2")
        self.addCleanup(os.environ.pop, "ONE", None)
        self.addCleanup(os.environ.pop, "OTHER", None)
        self.base = dict(os.environ)
        self.reads = Reads(self.base)

    def seen(self, code: Callable[[], Any] | str) -> Seen:
        self.reads.begin()
        try:
            if isinstance(code, str):
                exec(compile(code, "<node 7>", "exec"), {})
            else:
                code()
        finally:
            found = self.reads.end()
        again = Seen(**json.loads(json.dumps(found._asdict())))
        self.assertEqual(again, found)
        return found

    def test_variables_that_node_code_reads(self) -> None:
        for code in (
            "import os; os.environ['ONE']",
            "import os; os.environ.get('ONE')",
            "import os; os.getenv('ONE', 'x')",
            "import os; 'ONE' in os.environ",
            "import os; os.environb[b'ONE']",
            "import os; os.path.expandvars('$ONE')",
            "from os import environ as e; e.setdefault('ONE', 'x')",
            "from os import environ as e; e.pop('ONE'); e['ONE'] = '1'",
        ):
            with self.subTest(code):
                self.assertEqual([*self.seen(code).environment], ["ONE"])

    def test_a_variable_that_is_not_there(self) -> None:
        seen = self.seen("import os; os.environ.get('NOT_THERE')")
        self.assertEqual(seen.environment, {"NOT_THERE": ""})
        self.assertEqual(changed_since(seen, self.base), "")
        words = changed_since(seen, {**self.base, "NOT_THERE": ""})
        self.assertEqual(words, "The environment variable NOT_THERE changed.")

    def test_values_are_not_kept(self) -> None:
        os.environ["ONE"] = self.base["ONE"] = "a secret value"
        self.assertNotIn("secret", json.dumps(self.seen("import os; os.environ['ONE']")._asdict()))

    def test_all_variables(self) -> None:
        for code in ("dict(os.environ)", "os.environ.copy()", "list(os.environ)", "{**os.environ}", "os.environ | {}"):
            with self.subTest(code):
                seen = self.seen(f"import os; {code}")
                self.assertTrue({"ONE", "OTHER", "*"} <= {*seen.environment})
                self.assertFalse({"PATH", "HOME"} & {*seen.environment})
                self.assertEqual(changed_since(seen, self.base), "")
                self.assertEqual(changed_since(seen, {**self.base, "PATH": "/x", "MIRANDA_JOB": "7"}), "")
                more = {**self.base, "NEW": "1"}
                self.assertEqual(changed_since(seen, more), "There are other environment variables.")
                other = {**self.base, "ONE": "3"}
                self.assertEqual(changed_since(seen, other), "The environment variable ONE changed.")

    def test_pythons_own_library_reads_for_itself(self) -> None:
        def code() -> None:
            subprocess.run([sys.executable, "-I", "-c", ""], check=True)
            tempfile.gettempdir()
            Path.home()

        seen = self.seen(code)
        self.assertEqual(seen.environment, {})

    def test_nothing_is_recorded_between_runs(self) -> None:
        self.seen("pass")
        self.assertIs(type(os.environ).__getitem__, module.plain_get)
        Path("data.csv").write_text("1")
        Path("data.csv").read_text()
        self.assertEqual(self.seen("pass"), Seen({}, {}))
        self.assertEqual(self.reads.end(), Seen({}, {}))

    def test_files_that_are_opened_for_reading(self) -> None:
        Path("data.csv").write_text("1,2")
        for code in (
            "open('data.csv').close()",
            "import os; os.close(os.open('data.csv', os.O_RDONLY))",
            "import pathlib; pathlib.Path('data.csv').read_bytes()",
            "import io; io.FileIO('data.csv').close()",
            "open(b'data.csv').close()",
            f"open({self.folder!r} + '/./data.csv').close()",
            "open('data.csv', 'r+').close()",
        ):
            with self.subTest(code):
                seen = self.seen(code)
                self.assertEqual([*seen.files], ["data.csv"])
                size, _, text = seen.files["data.csv"]
                self.assertEqual((size, len(text)), (3, 64))
                self.assertEqual(changed_since(seen, self.base), "")

    def test_a_file_that_changed(self) -> None:
        path = Path("data.csv")
        path.write_text("1,2")
        seen = self.seen("open('data.csv').close()")
        path.write_text("1,2")
        os.utime(path, ns=(1, 1))
        self.assertEqual(changed_since(seen, self.base), "")
        path.write_text("1,3")
        os.utime(path, ns=(1, 1))
        self.assertEqual(changed_since(seen, self.base), "The file data.csv changed.")
        path.write_text("1,2,3")
        self.assertEqual(changed_since(seen, self.base), "The file data.csv changed.")
        path.unlink()
        self.assertEqual(changed_since(seen, self.base), "The file data.csv changed.")

    def test_a_file_that_was_not_there(self) -> None:
        seen = self.seen("try: open('later.csv')\nexcept FileNotFoundError: pass")
        self.assertEqual(seen.files, {"later.csv": [-1, 0, ""]})
        self.assertEqual(changed_since(seen, self.base), "")
        Path("later.csv").write_text("1")
        self.assertEqual(changed_since(seen, self.base), "The file later.csv changed.")

    def test_files_that_the_run_wrote_first_are_its_own(self) -> None:
        for code in (
            "open('own.txt', 'w').close(); open('own.txt').close()",
            "import os; open('x.part', 'w').close(); os.replace('x.part', 'x.txt'); open('x.txt').close()",
            "import tempfile\nwith tempfile.NamedTemporaryFile() as file: open(file.name).close()",
            "import os; os.close(os.open('new', os.O_CREAT | os.O_EXCL | os.O_RDWR)); open('new').close()",
        ):
            with self.subTest(code):
                self.assertEqual(self.seen(code).files, {})

    def test_a_file_that_the_run_reads_and_then_changes_is_never_the_same(self) -> None:
        Path("count.txt").write_text("10")
        code = (
            "with open('count.txt') as file: n = int(file.read())\n"
            "with open('count.txt', 'w') as file: file.write(str(n + 1))\n"
        )
        seen = self.seen(code)
        self.assertEqual([*seen.files], ["count.txt"])
        self.assertEqual(changed_since(seen, self.base), "The file count.txt changed.")

    def test_files_of_python_and_of_the_machine_are_left_out(self) -> None:
        code = (
            "import os\nopen('/proc/self/stat').close(); open('/dev/null').close(); open('/etc/hostname').close()\n"
            "open(os.__file__).close(); import wave; os.listdir('.'); os.close(os.open('.', os.O_RDONLY))\n"
        )
        self.assertEqual(self.seen(code).files, {})

    def test_files_of_fields_are_left_out(self) -> None:
        for name in ("files/" + "0a" * 32 + "/rows.csv", ".miranda/nodes/x.py", "files/own/rows.csv"):
            Path(name).parent.mkdir(parents=True)
            Path(name).write_text("1")
        seen = self.seen("import glob\nfor name in glob.glob('**/*.*', recursive=True): open(name).close()")
        self.assertEqual([*seen.files], ["files/own/rows.csv"])
        self.assertEqual(self.seen("open('.miranda/nodes/x.py').close()").files, {})

    def test_more_than_a_thousand_files(self) -> None:
        for number in range(1_001):
            Path(str(number)).mkdir()
            Path(str(number), "file").touch()
        seen = self.seen("for number in range(1001): open(f'{number}/file').close()")
        self.assertEqual(seen.incomplete, "More than 1,000 files were read.")
        self.assertEqual(changed_since(seen, self.base), seen.incomplete)

    def test_a_file_that_a_program_made_for_the_run_and_that_is_removed(self) -> None:
        made = "import os, subprocess\nsubprocess.run(['touch', 'made'])\nopen('made').close()\n"
        self.assertEqual(self.seen(f"{made}os.unlink('made')").files, {})
        self.assertEqual([*self.seen(made).files], ["made"])

    def test_a_folder_stands_for_the_many_files_that_were_read_in_it(self) -> None:
        Path("pictures").mkdir()
        for number in range(3_000):
            Path("pictures", str(number)).touch()
        seen = self.seen("for number in range(3000): open(f'pictures/{number}').close()")
        self.assertEqual([*seen.files], ["pictures/"])
        self.assertEqual((seen.files["pictures/"][0], seen.incomplete), (3_000, ""))
        self.assertEqual(changed_since(seen, self.base), "")
        Path("pictures", "7").write_text("other")
        self.assertEqual(changed_since(seen, self.base), "The files in pictures/ changed.")

    def test_a_folder_whose_files_change_while_they_are_read(self) -> None:
        for number in range(60):
            Path(str(number)).touch()
        code = "for number in range(60): open(str(number)).close()\nwith open('5', 'w') as file: file.write('x')"
        self.assertEqual(self.seen(code).incomplete, "The file 5 changed while it was read.")

    def test_a_large_file_is_compared_by_size_and_time(self) -> None:
        with open("large", "wb") as file:
            file.truncate((64 << 20) + 1)
        seen = self.seen("open('large').close()")
        self.assertEqual(seen.files["large"][2], "")
        self.assertEqual(changed_since(seen, self.base), "")
        os.utime("large", ns=(1, 1))
        self.assertEqual(changed_since(seen, self.base), "The file large changed.")

    def test_strange_names_do_no_harm(self) -> None:
        code = (
            "import os\n"
            "for name in ('a\\0b', '', 'x' * 5000, b'\\xff', 3):\n"
            "    try: open(name).close()\n"
            "    except (OSError, ValueError): pass\n"
            "try: os.environ[5]\n"
            "except TypeError: pass\n"
        )
        self.seen(code)

    def test_the_making_and_the_run_together(self) -> None:
        Path("data.csv").write_text("1")
        making = self.seen("import os; os.environ['ONE']; open('data.csv').close()")
        Path("data.csv").write_text("1,2")
        run = self.seen("import os; os.environ['OTHER']; open('data.csv').close()")
        seen = both(making, run)
        self.assertEqual({*seen.environment}, {"ONE", "OTHER"})
        self.assertEqual(changed_since(seen, self.base), "The file data.csv changed.")

    def test_a_file_is_hashed_once(self) -> None:
        Path("data.csv").write_text("1,2")
        self.seen("open('data.csv').close()")
        self.assertEqual(len(self.reads.known), 1)
        known = dict(self.reads.known)
        self.seen("open('data.csv').close()")
        self.assertEqual(self.reads.known, known)


if __name__ == "__main__":
    unittest.main()
