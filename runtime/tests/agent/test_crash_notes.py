from __future__ import annotations

import os
import subprocess
import sys
import unittest

from miranda_agent.crash_notes import PLACE, crashed_at, make_notes, read_notes

RUNTIME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BEGIN = (
    f"import sys; sys.path.insert(0, {RUNTIME!r}); from miranda.worker.crash_notes import Statuses; s = Statuses(); "
)


class CrashNotes(unittest.TestCase):
    def leave(self, script: str) -> tuple[list[int], str]:
        """What a process with these lines leaves behind."""
        notes = make_notes()
        try:
            subprocess.run(
                [sys.executable, "-I", "-c", BEGIN + script],
                preexec_fn=lambda: os.dup2(notes, PLACE),
                check=False,
                close_fds=False,
                stderr=subprocess.DEVNULL,
            )
            return read_notes(notes)
        finally:
            os.close(notes)

    def test_names_the_nodes_that_ran_when_the_process_ended_at_once(self) -> None:
        statuses = "s[7] = 'waiting'; s[7] = 'running'; s[8] = 'running'; s[8] = 'done'; s[9] = 'running'"
        self.assertEqual(self.leave(f"{statuses}; import os; os._exit(3)"), ([7, 9], ""))

    def test_names_the_node_and_line_of_a_crash(self) -> None:
        code = "import ctypes\ndef run():\n    ctypes.string_at(0)\nrun()\n"
        script = f"s[7] = 'running'; exec(compile({code!r}, '<Train model 7>', 'exec'))"
        nodes, report = self.leave(script)
        self.assertEqual(nodes, [7])
        place, traceback = crashed_at(report, RUNTIME)
        self.assertEqual(place, {"node": 7, "line": 3, "function": "run"})
        self.assertIn("Segmentation fault", traceback)
        self.assertNotIn(RUNTIME + "/", traceback)

    def test_ignores_notes_that_name_no_node(self) -> None:
        notes = make_notes()
        try:
            os.pwrite(
                notes, b"\xff" * 4_096 + b"Current thread\n" + b'  File "<x 99999999999999999>", line 1 in run', 0
            )
            nodes, report = read_notes(notes)
            self.assertEqual(nodes, [])
            self.assertIsNone(crashed_at(report, RUNTIME)[0])
            with self.assertRaises(OSError):
                os.ftruncate(notes, 1 << 30)
        finally:
            os.close(notes)

    def test_works_without_an_agent(self) -> None:
        script = (
            "from miranda.worker.crash_notes import Statuses; s = Statuses(); s[1] = 'running'; s[1] = 'done'; print(s)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script], cwd=RUNTIME, check=False, capture_output=True, text=True, close_fds=True
        )
        self.assertEqual(done.stdout, "{1: 'done'}\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
