# ruff: noqa: E501
"""Branches at once give what one after the other gives."""

from __future__ import annotations

import importlib.util
import os
import time
import unittest
from itertools import pairwise
from typing import Any

from ..graphs import Bench, edge, node

HAS_NUMPY = importlib.util.find_spec("numpy") is not None


def memory_left() -> int:
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


DRAWS = """
out = Transmitter()
def run(self):
    import random, time
    random.seed(0)
    drawn = []
    for _ in range(5):
        drawn.append(random.random())
        time.sleep(0.02)
    self.out.send(drawn)
"""
UNSEEDED = DRAWS.replace("    random.seed(0)\n", "")


class Case(unittest.TestCase):
    def bench(self, nodes: list[Any], edges: list[Any] | None = None, slots: int = 2) -> Bench:
        bench = Bench(nodes, edges, slots)
        self.addCleanup(bench.close)
        return bench


class Repeatable(Case):
    def drawn(self, body: str, slots: int, count: int = 2) -> list[Any]:
        bench = self.bench([node(key, body) for key in range(1, count + 1)], slots=slots)
        self.assertTrue(bench.run("all"))
        first = [bench.sent(key) for key in range(1, count + 1)]
        self.assertTrue(bench.run("all"))
        self.assertEqual([bench.sent(key) for key in range(1, count + 1)], first, "the second run gives the same")
        return first

    def test_r1_branches_that_seed_draw_the_same_numbers_at_once_and_in_turn(self) -> None:
        import random

        random.seed(0)
        expected = [random.random() for _ in range(5)]
        self.assertEqual(self.drawn(DRAWS, 1), [expected] * 2)
        self.assertEqual(self.drawn(DRAWS, 2), [expected] * 2)

    @unittest.skipUnless(HAS_NUMPY, "numpy is not installed")
    def test_r1_branches_that_seed_numpy_draw_the_same_numbers(self) -> None:
        body = DRAWS.replace("import random, time", "import time\n    import numpy.random as random")
        body = body.replace("random.random())", "float(random.rand()))")
        self.assertEqual(self.drawn(body, 1), self.drawn(body, 2))

    def test_a_node_that_seeds_nothing_draws_the_same_numbers_in_every_session(self) -> None:
        apart, together = self.drawn(UNSEEDED, 1), self.drawn(UNSEEDED, 2)
        self.assertEqual(apart, together)
        self.assertNotEqual(apart[0], apart[1], "each node has a seed of its own")

    def test_a_class_may_ask_for_new_numbers_in_every_run(self) -> None:
        bench = self.bench([node(1, "seed = None\n" + UNSEEDED)])
        bench.run("all")
        first = bench.sent(1)
        bench.run("all")
        self.assertNotEqual(bench.sent(1), first)

    def test_r11_what_a_node_sets_in_the_process_is_its_own(self) -> None:
        sets = """
        out = Transmitter()
        def run(self):
            import builtins, os, sys, warnings
            os.environ["LEAK"] = "1"
            builtins.LEAK = 1
            os.chdir("/")
            sys.path.append("/leak")
            warnings.simplefilter("error")
            self.out.send(1)
        """
        reads = """
        go = Receiver()
        out = Transmitter()
        def run(self):
            import builtins, os, sys, warnings
            found = [os.environ.get("LEAK"), hasattr(builtins, "LEAK"), os.getcwd() == "/", "/leak" in sys.path]
            warnings.warn("no error")
            self.out.send(found)
        """
        bench = self.bench([node(1, sets), node(2, reads)], [edge(1, "out", 2, "go")], slots=1)
        self.assertTrue(bench.run(), bench.exceptions)
        self.assertEqual(bench.sent(2), [None, False, False, False])

    def test_r5_a_node_runs_again_after_its_setup(self) -> None:
        body = "k = 0\nout = Transmitter()\ndef setup(self):\n    self.k = 7\ndef run(self):\n    self.out.send(self.k)"
        bench = self.bench([node(1, body)])
        self.assertTrue(bench.run())
        self.assertEqual(bench.sent(1), 0)
        from miranda.packages.setup import set_up_nodes

        bench.executor.begin()
        self.assertIsNone(set_up_nodes(bench.executor))
        bench.executor.scheduler.active = False
        self.assertEqual(bench.plan()[1], (True, "Its setup has run since."))
        self.assertTrue(bench.run())
        self.assertEqual(bench.sent(1), 7)
        self.assertEqual(bench.plan()[1], (False, "Nothing changed."))

    def test_r10_redirected_output_is_the_node_s_own(self) -> None:
        captures = """
        out = Transmitter()
        def run(self):
            import contextlib, io, time
            with contextlib.redirect_stdout(io.StringIO()) as text:
                print("mine")
                time.sleep(0.3)
            self.out.send(text.getvalue())
        """
        prints = "def run(self):\n    import time\n    for _ in range(10):\n        print('other'); time.sleep(0.02)"
        bench = self.bench([node(1, captures), node(2, prints)])
        self.assertTrue(bench.run())
        self.assertEqual(bench.sent(1), "mine\n")
        self.assertEqual(bench.channel.printed, {2: b"other\n" * 10})

    def test_r12_a_thread_that_outlives_its_run_is_named_and_its_prints_are_marked(self) -> None:
        leaves = """
        out = Transmitter()
        def run(self):
            import threading, time
            def go_on():
                print("in time")
                time.sleep(0.3)
                print("too late")
            threading.Thread(target=go_on, name="straggler").start()
            time.sleep(0.1)
            self.out.send(1)
        """
        bench = self.bench([node(1, leaves), node(2, "go = Receiver()\ndef run(self):\n    print('next')")],
                           [edge(1, "out", 2, "go")], slots=1)  # fmt: skip
        self.assertTrue(bench.run())
        until = time.monotonic() + 20
        while b"late" not in bench.channel.printed.get(1, b"") and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(bench.channel.printed, {1: b"in time\n[late] too late\n", 2: b"next\n"})
        self.assertEqual(len(bench.remarks), 1)
        self.assertIn("N1 has left a thread running (straggler)", bench.remarks[0])

    def test_r9_a_run_that_yields_runs_to_its_end(self) -> None:
        body = "out = Transmitter()\ndef run(self):\n    for at in range(3):\n        yield at, 3\n    self.out.send('over')"
        bench = self.bench([node(1, body), node(2, "def run(self):\n    yield object()")])
        self.assertFalse(bench.run())
        self.assertEqual(bench.statuses, {1: "done", 2: "error"})
        self.assertEqual(bench.sent(1), "over")
        self.assertIn("A run may yield how far it is", bench.exceptions[0][3])

    def test_prints_and_writes_to_the_descriptor_keep_their_order(self) -> None:
        body = "def run(self):\n    import os\n    for at in range(50):\n        print(at, 'print')\n        os.write(1, b'%d write\\n' % at)"
        bench = self.bench([node(1, body)])
        self.assertTrue(bench.run())
        expected = "".join(f"{at} print\n{at} write\n" for at in range(50))
        self.assertEqual(bench.channel.printed, {1: expected.encode()})


class Shared(Case):
    def test_nodes_that_share_state_run_in_one_process_one_after_the_other(self) -> None:
        body = """
        share_state = True
        out = Transmitter()
        def run(self):
            import builtins, os, time
            builtins.SEEN = getattr(builtins, "SEEN", 0) + 1
            began = time.monotonic()
            time.sleep(0.05)
            self.out.send([os.getpid(), builtins.SEEN, began, time.monotonic()])
        """
        bench = self.bench([node(key, body) for key in (1, 2, 3)], slots=3)
        self.assertTrue(bench.run())
        sent = sorted((bench.sent(key) for key in (1, 2, 3)), key=lambda one: one[1])
        self.assertEqual(len({one[0] for one in sent}), 1)
        self.assertEqual([one[1] for one in sent], [1, 2, 3])
        self.assertTrue(all(one[3] <= after[2] for one, after in pairwise(sent)))


class Deaths(Case):
    def test_a_lane_that_dies_fails_only_its_branch_and_names_the_node(self) -> None:
        dies = "def run(self):\n    import os, time\n    time.sleep(0.1)\n    os._exit(3)"
        lives = "out = Transmitter()\ndef run(self):\n    import time\n    time.sleep(0.4)\n    self.out.send('here')"
        bench = self.bench([node(1, dies), node(2, lives)])
        self.assertFalse(bench.run())
        self.assertEqual(bench.statuses, {1: "error", 2: "done"})
        [(key, _, _, text)] = bench.exceptions
        self.assertEqual(key, 1)
        self.assertIn("The process of N1 ended: its code ended the process with exit code 3.", text)
        self.assertEqual(bench.sent(2), "here")

    def test_a_crash_in_c_names_the_line(self) -> None:
        crashes = "def run(self):\n    import ctypes\n    ctypes.string_at(0)"
        bench = self.bench([node(1, crashes)])
        self.assertFalse(bench.run())
        [(key, line, function, text)] = bench.exceptions
        self.assertEqual((key, line, function), (1, 6, "run"))
        self.assertIn("segmentation fault", text)

    def test_what_was_lost_with_a_process_is_made_again(self) -> None:
        first = "out = Transmitter()\ndef run(self):\n    self.out.send([1, 2])"
        # Dies in its first run only, after the first node, in the same process.
        dies = """
        inp = Receiver()
        out = Transmitter()
        def run(self):
            import os
            if not os.path.exists(FLAG):
                open(FLAG, "x").close()
                os.kill(os.getpid(), 9)
            self.out.send(sum(self.inp))
        """
        flag = f"/tmp/miranda-lane-{os.getpid()}"
        self.addCleanup(lambda: os.path.exists(flag) and os.unlink(flag))
        slow = "inp = Receiver()\nout = Transmitter()\ndef run(self):\n    self.out.send(len(self.inp))"
        nodes = [node(1, first), node(2, dies.replace("FLAG", repr(flag))), node(3, slow)]
        bench = self.bench(nodes, [edge(1, "out", 2, "inp"), edge(1, "out", 3, "inp")], slots=1)
        self.assertFalse(bench.run())
        self.assertEqual(bench.statuses, {1: "done", 2: "error", 3: "done"})
        self.assertTrue(bench.run())
        self.assertEqual((bench.sent(2), bench.sent(3)), (3, 2))

    def test_what_a_process_started_ends_with_it(self) -> None:
        dies = """
        def run(self):
            import os, subprocess, sys
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            open("child", "w").write(str(child.pid))
            os._exit(1)
        """
        bench = self.bench([node(1, dies)])
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(bench.lanes.folder)
        self.assertFalse(bench.run())
        with open("child", encoding="ascii") as file:
            child = int(file.read())
        until = time.monotonic() + 20
        while is_alive(child) and time.monotonic() < until:
            time.sleep(0.01)
        self.assertFalse(is_alive(child))


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Values(Case):
    def test_values_that_cannot_be_copied_keep_their_reader_in_the_same_process(self) -> None:
        for made in ("(at for at in range(3))", "open('/dev/null')", "__import__('threading').Lock()"):
            with self.subTest(made):
                sends = f"out = Transmitter()\nkept = None\ndef run(self):\n    self.kept = {made}\n    self.out.send(self.kept)"
                reads = (
                    "inp = Receiver()\nout = Transmitter()\ndef run(self):\n    self.out.send(type(self.inp).__name__)"
                )
                # Two readers: one of them would be given to another process.
                edges = [edge(1, "out", 2, "inp"), edge(1, "out", 3, "inp")]
                bench = self.bench([node(1, sends), node(2, reads), node(3, reads)], edges)
                self.assertTrue(bench.run(), bench.exceptions)
                self.assertEqual(bench.sent(2), bench.sent(3))
                self.assertEqual(len({bench.executor.graph.nodes[key].lane for key in (1, 2, 3)}), 1)

    def test_classes_of_a_node_s_own_code_and_rings_cross(self) -> None:
        code = node(
            1, "out = Transmitter()\ndef run(self):\n    ring = Thing()\n    ring.me = ring\n    self.out.send(ring)"
        )
        code["source_code"] += "\nclass Thing:\n    x = 5\n"
        slow = "inp = Receiver()\nout = Transmitter()\ndef run(self):\n    import time; time.sleep(0.1)\n    self.out.send([self.inp.x, self.inp.me is self.inp])"
        edges = [edge(1, "out", 2, "inp"), edge(1, "out", 3, "inp")]
        bench = self.bench([code, node(2, slow), node(3, slow)], edges)
        self.assertTrue(bench.run(), bench.exceptions)
        self.assertEqual([bench.sent(2), bench.sent(3)], [[5, True]] * 2)
        code["source_code"] = code["source_code"].replace("x = 5", "x = 6")
        self.assertTrue(bench.run(), bench.exceptions)
        self.assertEqual([bench.sent(2), bench.sent(3)], [[6, True]] * 2)

    @unittest.skipUnless(HAS_NUMPY, "numpy is not installed")
    def test_a_large_array_crosses_and_is_read_only(self) -> None:
        sends = "out = Transmitter()\ndef run(self):\n    import numpy\n    self.out.send(numpy.arange(10_000_000))"
        reads = "inp = Receiver()\nout = Transmitter()\ndef run(self):\n    self.out.send([int(self.inp.sum()), self.inp.flags.writeable])"
        edges = [edge(1, "out", 2, "inp"), edge(1, "out", 3, "inp")]
        bench = self.bench([node(1, sends), node(2, reads), node(3, reads)], edges)
        self.assertTrue(bench.run(), bench.exceptions)
        self.assertEqual([bench.sent(2), bench.sent(3)], [[49999995000000, False]] * 2)

    @unittest.skipUnless(HAS_NUMPY and memory_left() > 8 << 30, "numpy or 8 GB of memory are missing")
    def test_an_array_of_more_than_two_gigabytes_is_written_once_for_all_lanes(self) -> None:
        sends = "out = Transmitter()\ndef run(self):\n    import numpy\n    big = numpy.zeros(2_200_000_000, 'u1')\n    big[-1] = 7\n    self.out.send(big)"
        reads = """
        inp = Receiver()
        out = Transmitter()
        def run(self):
            import time
            time.sleep(0.1)
            files = []
            for line in open("/proc/self/maps"):
                place, _, _, _, file, *_ = line.split()
                begin, end = (int(one, 16) for one in place.split("-"))
                if ".miranda-" in line and end - begin > 2_000_000_000:
                    files.append(file)
            self.out.send([len(self.inp), int(self.inp[-1]), files])
        """
        bench = self.bench(
            [node(1, sends), *(node(key, reads) for key in (2, 3, 4))],
            [edge(1, "out", key, "inp") for key in (2, 3, 4)],
            slots=3,
        )
        self.assertTrue(bench.run(), bench.exceptions)
        found = [bench.sent(key) for key in (2, 3, 4)]
        self.assertEqual([one[:2] for one in found], [[2_200_000_000, 7]] * 3)
        self.assertEqual(len({file for _, _, files in found for file in files}), 1)

    def test_sixty_four_branches_on_two_cores(self) -> None:
        sends = "out = Transmitter()\ndef run(self):\n    self.out.send(list(range(100)))"
        work = "inp = Receiver()\nout = Transmitter()\ndef run(self):\n    import time; time.sleep(0.002)\n    self.out.send(sum(self.inp) + {key})"
        join = "inp = Receiver()\ntotal = 0\nout = Transmitter()\ndef run(self):\n    self.total += self.inp\n    self.out.send(self.total)"
        branches = range(2, 66)
        nodes = [node(1, sends), *(node(key, work.format(key=key)) for key in branches), node(99, join)]
        edges = [edge(1, "out", key, "inp") for key in branches] + [edge(key, "out", 99, "inp") for key in branches]
        bench = self.bench(nodes, edges)
        self.assertTrue(bench.run(), bench.exceptions)
        self.assertEqual(bench.instance(99).total, sum(4950 + key for key in branches))


class Constants(Case):
    def test_a_constant_of_any_type_reaches_every_lane(self) -> None:
        for made, shown in (("['port']", "['port']"), ("{'a': {1, 2}}", "{'a': {1, 2}}"), ("('x', [1])", "('x', [1])")):
            with self.subTest(made):
                reads = "by = Field(None)\nout = Transmitter()\ndef run(self):\n    import time; time.sleep(0.05)\n    self.out.send(repr(self.by))"
                nodes = [node(1, f"by = Constant({made})"), *(node(key, reads) for key in (2, 3, 4))]
                bench = self.bench(nodes, [edge(1, "by", key, "by") for key in (2, 3, 4)], slots=3)
                for _ in range(2):
                    self.assertTrue(bench.run("all"), bench.exceptions)
                    self.assertEqual([bench.sent(key) for key in (2, 3, 4)], [shown] * 3)

    def test_a_constant_is_there_for_a_node_that_comes_later(self) -> None:
        reads = "by = Field([])\nout = Transmitter()\ndef run(self):\n    self.out.send(self.by)"
        bench = self.bench([node(1, reads), node(2, reads)], slots=2)
        self.assertTrue(bench.run())
        bench.given["nodes"].append(node(3, "by = Constant(['port'])"))
        bench.given["edges"] = [edge(3, "by", key, "by") for key in (1, 2)]
        self.assertTrue(bench.run("all"), bench.exceptions)
        self.assertEqual([bench.sent(1), bench.sent(2)], [["port"]] * 2)

    def test_a_constant_that_cannot_be_copied_fails_who_needs_it_elsewhere(self) -> None:
        reads = "by = Field(None)\nout = Transmitter()\ndef run(self):\n    import time; time.sleep(0.05)\n    self.out.send(type(self.by).__name__)"
        nodes = [node(1, "by = Constant(__import__('threading').Lock())"), *(node(key, reads) for key in (2, 3))]
        bench = self.bench(nodes, [edge(1, "by", key, "by") for key in (2, 3)], slots=2)
        bench.run("all")
        for key in (2, 3):
            said = [text for one, _, _, text in bench.exceptions if one == key]
            if bench.statuses[key] == "error":
                self.assertIn("The constant for by cannot be copied to another process.", said[0])
            else:
                self.assertEqual(bench.sent(key), "lock")


if __name__ == "__main__":
    unittest.main()
