from __future__ import annotations

import os
import tempfile
import threading
import time
import unittest
from typing import Any
from unittest import mock

from miranda.execution.graph import NodeState
from miranda.execution.node_threads import real_sleep

from ..graphs import Bench, edge, node

SLEEPER = """
def run(self):
    import time
    self.began = time.monotonic()
    time.sleep(0.3)
    self.ended = time.monotonic()
"""
COLLECT = "rows = Receiver()\ngot = ()\ndef run(self):\n    self.got += (self.rows,)"


class Case(unittest.TestCase):
    def bench(self, nodes: list[Any], edges: list[Any] | None = None, slots: int = 2) -> Bench:
        bench = Bench(nodes, edges, slots)
        self.addCleanup(bench.close)
        return bench

    def together(self, bench: Bench, *keys: int) -> bool:
        """Whether there was a moment in which all of them ran."""
        instances = [bench.instance(key) for key in keys]
        return max(one.began for one in instances) < min(one.ended for one in instances)


class Together(Case):
    def test_two_ready_nodes_run_at_the_same_time(self) -> None:
        slow = SLEEPER.replace("0.3", "2")
        bench = self.bench([node(1, slow), node(2, slow)])
        self.assertTrue(bench.run())
        self.assertTrue(self.together(bench, 1, 2))

    def test_runs_no_more_nodes_than_there_are_cores(self) -> None:
        bench = self.bench([node(key, SLEEPER) for key in range(1, 4)], slots=1)
        self.assertTrue(bench.run())
        for pair in ((1, 2), (2, 3), (1, 3)):
            self.assertFalse(self.together(bench, *pair))

    def test_a_class_may_opt_out_of_parallel_runs(self) -> None:
        alone = "parallel = False\n" + SLEEPER
        bench = self.bench([node(1, SLEEPER), node(2, alone), node(3, SLEEPER)], slots=3)
        self.assertTrue(bench.run())
        self.assertFalse(self.together(bench, 1, 2))
        self.assertFalse(self.together(bench, 2, 3))

    def test_a_reader_that_runs_alone_does_not_run_beside_the_stream_it_reads(self) -> None:
        stream = """
        out = Transmitter()
        def run(self):
            import os
            for at in range(60):
                open("busy", "x").close()
                os.unlink("busy")
                self.out.send(at)
        """
        alone = """
        parallel = False
        rows = Receiver()
        got = ()
        seen = ()
        def run(self):
            import os, time
            time.sleep(0.001)
            self.seen += (os.path.exists("busy"),)
            self.got += (self.rows,)
        """
        bench = self.bench([node(1, stream), node(2, alone)], [edge(1, "out", 2, "rows")])
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(bench.lanes.folder)
        self.assertTrue(bench.run())
        self.assertEqual(bench.instance(2).got, tuple(range(60)))
        self.assertEqual(set(bench.instance(2).seen), {False})

    def test_a_value_arrives_while_its_sender_goes_on(self) -> None:
        slow = SLEEPER.replace("0.3", "2")
        body = "out = Transmitter()\n" + slow.replace("    self.began", "    self.out.send(1)\n    self.began")
        reader = "rows = Receiver()\ndef run(self):\n    import time\n    self.at = time.monotonic()"
        bench = self.bench([node(1, body), node(2, reader)], [edge(1, "out", 2, "rows")])
        self.assertTrue(bench.run())
        self.assertLess(bench.instance(2).at, bench.instance(1).ended)

    def test_a_stream_waits_for_slow_readers(self) -> None:
        for slots in (1, 2):
            with self.subTest(slots=slots):
                stream = """
                out = Transmitter()
                def run(self):
                    for at in range(200):
                        self.out.send(at)
                """
                # Two readers: one alone would run behind the stream in its process.
                edges = [edge(1, "out", 2, "rows"), edge(1, "out", 3, "rows")]
                bench = self.bench([node(1, stream), node(2, COLLECT), node(3, COLLECT)], edges, slots)
                waiting: list[int] = []
                route = bench.executor.scheduler.route

                rows = bench.executor.graph.nodes[2]

                def counted(
                    *given: Any, route: Any = route, rows: NodeState = rows, waiting: list[int] = waiting
                ) -> None:
                    route(*given)
                    waiting.append(len(rows.queues["rows"]))

                setattr(bench.executor.scheduler, "route", counted)  # noqa: B010 (it takes any arguments)
                self.assertTrue(bench.run())
                self.assertEqual(bench.instance(2).got, tuple(range(200)))
                self.assertLessEqual(max(waiting), 17)

    def test_streams_in_a_circle_do_not_wait_for_each_other(self) -> None:
        body = """
        inp = Receiver(optional=True)
        out = Transmitter()
        count = 0
        def run(self):
            self.count += 1
            if self.count <= 3:
                for at in range(100):
                    self.out.send(at)
        """
        edges = [edge(1, "out", 2, "inp"), edge(2, "out", 1, "inp")]
        bench = self.bench([node(1, body), node(2, body)], edges)
        self.assertTrue(bench.run())
        self.assertGreater(bench.instance(1).count, 100)

    def test_a_pipeline_of_streams_loses_nothing(self) -> None:
        stream = "out = Transmitter()\ndef run(self):\n    [self.out.send(at) for at in range(300)]"
        relay = "inp = Receiver()\nout = Transmitter()\ndef run(self):\n    self.out.send(self.inp)"
        nodes = [node(1, stream), *(node(key, relay) for key in range(2, 6)), node(6, COLLECT)]
        edges = [
            edge(1, "out", 2, "inp"),
            *(edge(key, "out", key + 1, "inp") for key in range(2, 5)),
            edge(5, "out", 6, "rows"),
        ]
        for slots in (1, 4):
            with self.subTest(slots=slots):
                bench = self.bench(nodes, edges, slots)
                self.assertTrue(bench.run())
                self.assertEqual(bench.instance(6).got, tuple(range(300)))

    def test_threads_of_a_node_are_its_own(self) -> None:
        body = """
        def run(self):
            import threading
            threads = [threading.Thread(target=print, args=("mine",)) for _ in range(2)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
        """
        bench = self.bench([node(1, body), node(2, body)])
        self.assertTrue(bench.run())
        self.assertEqual(bench.channel.printed, {1: b"mine\nmine\n", 2: b"mine\nmine\n"})

    def test_async_code_is_awaited(self) -> None:
        body = "async def run(self):\n    import asyncio\n    await asyncio.sleep(0.01)\n    self.done = True"
        bench = self.bench([node(1, body)])
        self.assertTrue(bench.run())
        self.assertTrue(bench.instance(1).done)


class Interrupts(Case):
    def interrupted(self, bench: Bench, running: int = 1, *, is_loading: bool = False) -> float:
        """Interrupts a run as soon as that many nodes run, and returns how long the run took to end."""
        at: list[float] = []

        def insist() -> None:
            while sum(lane.current > 0 and (lane.tasks > 0 or is_loading) for lane in bench.lanes.alive) < running:
                real_sleep(0.01)
            real_sleep(0.05)
            at.append(time.monotonic())
            while bench.executor.scheduler.interrupt():
                real_sleep(0.02)

        thread = threading.Thread(target=insist)
        thread.start()
        bench.executor.update(bench.given)
        ended = bench.executor.run()
        took = time.monotonic() - at[0]
        thread.join()
        self.assertEqual((ended.good, ended.interrupted, ended.failed), (False, True, []))
        return took

    def test_sleeping_and_counting_end_at_once_in_every_thread(self) -> None:
        sleeping = "def run(self):\n    import time\n    time.sleep(60)"
        counting = "def run(self):\n    while True:\n        pass"
        bench = self.bench([node(1, sleeping), node(2, counting), node(3, sleeping)], slots=3)
        self.assertLess(self.interrupted(bench, 3), 5)
        self.assertEqual(bench.statuses, {1: "stopped", 2: "stopped", 3: "stopped"})
        self.assertEqual(bench.exceptions, [])

    def test_keeps_finished_nodes_after_an_interrupt(self) -> None:
        first = "out = Transmitter()\nran = 0\ndef run(self):\n    self.ran += 1\n    self.out.send(1)"
        slow = "inp = Receiver()\nwait = Field(60)\ndef run(self):\n    import time\n    time.sleep(self.wait)"
        bench = self.bench([node(1, first), node(2, slow)], [edge(1, "out", 2, "inp")])
        self.interrupted(bench)
        bench.given["nodes"][1]["values"] = {"wait": 0}
        self.assertEqual(bench.plan(), {1: (False, "Nothing changed."), 2: (True, "It was interrupted.")})
        self.assertTrue(bench.run())
        self.assertEqual(bench.instance(1).ran, 1)

    def test_an_interrupt_does_not_break_a_send(self) -> None:
        stream = "out = Transmitter()\ndef run(self):\n    while True:\n        self.out.send([1])"
        reader = "rows = Receiver()\ndef run(self):\n    pass"
        for slots in (1, 2, 2, 2):
            bench = self.bench([node(1, stream), node(2, reader)], [edge(1, "out", 2, "rows")], slots)
            self.interrupted(bench)
            scheduler = bench.executor.scheduler
            self.assertEqual((scheduler.open, [lane.tasks for lane in bench.lanes.alive if lane.tasks]), ({}, []))

    def test_an_interrupt_waits_for_finally_blocks(self) -> None:
        body = """
        def run(self):
            import time
            try:
                time.sleep(60)
            finally:
                time.sleep(0.2)
                self.tidy = True
        """
        bench = self.bench([node(1, body)])
        self.interrupted(bench)
        self.assertTrue(bench.instance(1).tidy)

    def test_interrupts_code_while_it_loads(self) -> None:
        slow = {"id": 1, "name": "N1", "source_code": "import time\ntime.sleep(60)\n"}
        bench = self.bench([slow])
        self.assertLess(self.interrupted(bench, is_loading=True), 5)
        self.assertEqual(bench.statuses, {1: "stopped"})

    def importing(self, lines: str) -> Bench:
        """A node that imports a module of these lines."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with open(os.path.join(folder, "slow_module.py"), "w", encoding="utf-8") as file:
            file.write(lines)
        body = f"def run(self):\n    import sys\n    sys.path.insert(0, {folder!r})\n    import slow_module\n"
        body += "    while True:\n        pass"
        return self.bench([node(1, body)])

    def has_module(self, bench: Bench) -> bool:
        """Whether the lane has the module that was being imported."""
        bench.given["nodes"].append(
            node(2, "def run(self):\n    import sys\n    self.has = 'slow_module' in sys.modules")
        )
        lane = bench.executor.graph.nodes[1].lane
        bench.executor.update(bench.given)
        bench.executor.load_in(bench.executor.graph.nodes[2], lane)  # type: ignore[arg-type]
        bench.run("one", 2)
        return bench.instance(2).has

    def test_an_interrupt_waits_for_an_import(self) -> None:
        slow = "import time\nuntil = time.monotonic() + 0.5\nwhile time.monotonic() < until:\n    pass\n"
        bench = self.importing(slow)
        self.interrupted(bench)
        self.assertEqual(bench.statuses, {1: "stopped"})
        self.assertTrue(self.has_module(bench))

    def test_an_interrupt_ends_an_import_that_does_not_end(self) -> None:
        bench = self.importing("while True:\n    pass\n")
        with mock.patch("miranda.execution.node_threads.IMPORT_MAY_TAKE", 0.2):
            self.interrupted(bench)
        self.assertEqual(bench.statuses, {1: "stopped"})
        self.assertFalse(self.has_module(bench))

    def test_interrupts_async_code(self) -> None:
        body = "async def run(self):\n    import asyncio\n    await asyncio.sleep(60)"
        bench = self.bench([node(1, body), node(2, "def run(self):\n    import time\n    time.sleep(60)")])
        self.assertLess(self.interrupted(bench, 2), 5)


class Limits(Case):
    def test_a_node_that_fails_is_tried_again_and_sends_once(self) -> None:
        body = """
        retries = 2
        out = Transmitter()
        tries = 0
        def run(self):
            self.tries += 1
            self.out.send(self.tries)
            if self.tries < 2:
                raise ValueError("not yet")
        """
        bench = self.bench([node(1, body), node(2, COLLECT)], [edge(1, "out", 2, "rows")])
        self.assertTrue(bench.run())
        self.assertEqual(bench.instance(2).got, (2,))
        self.assertEqual(bench.remarks, ["N1 failed (ValueError: not yet); try 2 of 3 in 0.5 s."])

    def test_a_node_that_takes_too_long_fails(self) -> None:
        late = "timeout = 0.2\ndef run(self):\n    import time\n    time.sleep(60)"
        bench = self.bench([node(1, late), node(2, late)])
        self.assertFalse(bench.run())
        self.assertEqual(sorted(key for key, *_ in bench.exceptions), [1, 2])
        self.assertIn("took longer than 0.2 seconds", bench.exceptions[0][3])
        self.assertEqual(bench.exceptions[0][1], 7)

    def test_refuses_limits_that_are_not_numbers(self) -> None:
        bench = self.bench([node(1, "retries = 'often'\ndef run(self):\n    pass")])
        self.assertFalse(bench.run())
        self.assertIn("retries is a number from 0 to 100", bench.exceptions[0][3])

    def test_ignores_attributes_and_methods_named_like_limits(self) -> None:
        bench = self.bench([node(1, "timeout = Field(5)\ndef retries(self):\n    pass\ndef run(self):\n    pass")])
        self.assertTrue(bench.run())


if __name__ == "__main__":
    unittest.main()
