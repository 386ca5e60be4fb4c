from __future__ import annotations

import unittest
from typing import Any
from unittest.mock import patch

from ..graphs import edge, node
from .shelf import KeepingBench, Shelf

KEPT = (False, "Kept from session 12, 2 h ago.")


def step(key: int, send: str = "(self.inp or 0) + 1", body: str = "", seconds: float = 0.002) -> dict[str, Any]:
    """A node that takes long enough to be kept."""
    text = f"""
        {body or "more = None"}
        inp = Receiver()
        out = Transmitter()
        def run(self):
            import time
            time.sleep({seconds})
            self.out.send({send})
    """
    return node(key, text)


def chain(count: int) -> list[dict[str, Any]]:
    return [edge(key, "out", key + 1, "inp") for key in range(1, count)]


class ResumeCase(unittest.TestCase):
    def setUp(self) -> None:
        self.shelf = Shelf()
        self.addCleanup(self.shelf.close)

    def bench(
        self, nodes: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None, **more: Any
    ) -> KeepingBench:
        made = KeepingBench(self.shelf, nodes, edges, **more)
        self.addCleanup(made.close)
        return made

    def value(self, bench: KeepingBench, key: int) -> Any:
        return bench.sent(key)


class Resuming(ResumeCase):
    def test_runs_the_changed_node_and_what_follows_it(self) -> None:
        nodes = [step(key) for key in range(1, 11)]
        self.assertEqual(self.bench(nodes, chain(10)).go(), list(range(1, 11)))
        nodes[8] = step(9, "self.inp + 100")
        later = self.bench(nodes, chain(10))
        self.assertEqual(
            later.kept_plan(),
            {
                **{key: KEPT for key in range(1, 9)},
                **{
                    9: (True, "It has not run yet."),
                    10: (True, "It has not run yet."),
                },
            },
        )
        self.assertEqual(later.go(resume=True), [9, 10])
        self.assertEqual(self.value(later, 10), 109)
        self.assertEqual(len(self.shelf.loads), 1)
        self.assertEqual(set(later.kept_plan(resume=False).values()), {(False, "Nothing changed.")})

    def test_a_plan_changes_nothing(self) -> None:
        nodes = [step(1), step(2)]
        self.bench(nodes, chain(2)).go()
        later = self.bench(nodes, chain(2))
        self.assertEqual(later.kept_plan(), {1: KEPT, 2: KEPT})
        self.assertEqual(later.go(), [1, 2])

    def test_an_ordinary_run_uses_only_what_asks_for_it(self) -> None:
        nodes = [step(1), step(2, body='cache = "project"'), step(3)]
        self.bench(nodes, chain(3)).go()
        later = self.bench(nodes, chain(3))
        self.assertEqual(later.go(), [1, 3])
        self.assertEqual(self.value(later, 3), 3)
        self.assertEqual(set(later.kept_plan(resume=False).values()), {(False, "Nothing changed.")})

    def test_run_all_runs_all(self) -> None:
        nodes = [step(1), step(2)]
        self.bench(nodes, chain(2)).go()
        self.assertEqual(self.bench(nodes, chain(2)).go("all", resume=True), [1, 2])

    def test_runs_up_to_a_node_with_kept_results(self) -> None:
        nodes = [step(1), step(2), step(3)]
        self.bench(nodes, chain(3)).go()
        later = self.bench(nodes, chain(3))
        self.assertEqual(later.go("to", 2, resume=True), [2])
        self.assertEqual(later.go("from", 2, resume=True), [2, 3])

    # A quick node stays quick on a busy machine too, where it may take some milliseconds.
    @patch("miranda.results.keeper.QUICK", 0.2)
    def test_does_not_run_what_nobody_needs(self) -> None:
        quick = step(2, seconds=0)
        nodes = [step(1, seconds=0.25), quick, step(3, seconds=0.25), step(4, seconds=0.25)]
        self.bench(nodes, chain(4)).go()
        later = self.bench(nodes, chain(4))
        self.assertEqual(later.kept_plan()[2], (False, "What it feeds is kept."))
        self.assertEqual(later.go(resume=True), [])
        nodes[2] = step(3, "self.inp * 10", seconds=0.25)
        # The quick node runs now, because a node needs what it sends. That is no reason for others to run.
        self.assertEqual(later.kept_plan()[2], (True, "N3 needs what it sends."))
        self.assertEqual(later.go(resume=True), [2, 3, 4])
        self.assertEqual(self.value(later, 4), 21)

    def test_a_stream_of_values_comes_back_in_order(self) -> None:
        many = node(
            1,
            """
            out = Transmitter()
            def run(self):
                import time
                time.sleep(0.002)
                for at in range(20):
                    self.out.send([at])
        """,
        )
        total = node(
            2,
            """
            rows = Receiver()
            out = Transmitter()
            seen = None
            def run(self):
                self.seen = [*(self.seen or []), *self.rows]
                self.rows.append("mine")
                self.out.send(self.seen)
        """,
        )
        self.bench([many]).go()
        later = self.bench([many, total], [edge(1, "out", 2, "rows")])
        self.assertEqual(later.go(resume=True), [2])
        self.assertEqual(self.value(later, 2), list(range(20)))

    def test_opens_classes_of_the_nodes_code(self) -> None:
        source = "from miranda import *\nimport time\n\nclass Point:\n    def __init__(self, x):\n        self.x = x\n"
        source += "class N1(Node):\n    out = Transmitter()\n    def run(self):\n"
        source += "        time.sleep(0.002)\n        self.out.send(Point(7))\n"
        first = {"id": 1, "name": "N1", "source_code": source}
        self.bench([first, step(2, "self.inp")], chain(2)).go()
        later = self.bench([first, step(2, "self.inp"), step(3, "self.inp.x")], chain(3))
        self.assertEqual(later.go(resume=True), [3])
        self.assertEqual(self.value(later, 3), 7)


class Unusable(ResumeCase):
    def spoil(self, bench: KeepingBench, key: int, content: bytes) -> None:
        found = bench.results.keys.of(bench.executor.graph)[key].key
        assert found is not None
        self.shelf.file(found).write_bytes(content)

    def test_a_damaged_file_makes_its_node_run_again(self) -> None:
        nodes = [step(1), step(2), step(3)]
        self.bench(nodes, chain(3)).go()
        nodes[2] = step(3, "self.inp * 10")
        later = self.bench(nodes, chain(3))
        self.spoil(later, 2, b"miranda\1cut")
        self.assertEqual(later.go(resume=True), [2, 3])
        self.assertEqual(self.value(later, 3), 20)
        self.assertEqual(later.remarks, ["N2 runs again. Its kept result cannot be used: its file is damaged."])
        self.assertEqual(set(later.kept_plan(resume=False).values()), {(False, "Nothing changed.")})

    def test_a_pickle_whose_class_is_gone_makes_its_node_run_again(self) -> None:
        import sys
        import types

        module = types.ModuleType("gone")
        exec("class Thing:\n    x = 4", module.__dict__)
        sys.modules["gone"] = module
        body = "from miranda import *\nimport time\n\nclass N1(Node):\n    out = Transmitter()\n    def run(self):\n"
        body += "        time.sleep(0.002)\n        try:\n            from gone import Thing\n"
        body += "        except ImportError:\n            Thing = None\n        self.out.send(Thing and Thing())\n"
        first = {"id": 1, "name": "N1", "source_code": body}
        self.bench([first]).go()
        del sys.modules["gone"]
        later = self.bench([first, step(2, "repr(self.inp)")], chain(2))
        self.assertEqual(later.go(resume=True), [1, 2])
        self.assertEqual(self.value(later, 2), "None")
        self.assertIn("N1 runs again. Its kept result cannot be used: it could not be opened", later.remarks[0])

    def test_a_plan_and_the_log_name_what_the_server_lost(self) -> None:
        nodes = [step(1), step(2)]
        self.bench(nodes, chain(2)).go()
        later = self.bench(nodes, chain(2))
        key = later.results.keys.of(later.executor.graph)[1].key
        assert key is not None
        self.shelf.file(key).unlink()
        self.shelf.lost = {key: "Its kept result was damaged and has been removed."}
        nodes[1] = step(2, "self.inp * 10")
        self.assertEqual(later.kept_plan()[1], (True, "Its kept result was damaged and has been removed."))
        self.shelf.lost = {}
        self.assertEqual(later.go(resume=True), [1, 2])
        self.assertEqual(later.remarks, ["N1 runs again. Its kept result was damaged and has been removed."])

    def test_a_plan_says_why_nothing_is_kept(self) -> None:
        nodes = [step(1, body="cache = False"), step(2)]
        self.bench(nodes, chain(2)).go()
        self.assertEqual(
            self.bench(nodes, chain(2)).kept_plan(),
            {
                1: (True, "It is not kept: its class says cache = False."),
                2: (True, "It is not kept: it is fed by N1: its class says cache = False."),
            },
        )

    def test_a_result_that_is_gone_makes_its_node_run_again(self) -> None:
        nodes = [step(1), step(2)]
        self.bench(nodes, chain(2)).go()
        nodes[1] = step(2, "self.inp * 10")
        later = self.bench(nodes, chain(2))
        ask = self.shelf.ask
        self.shelf.ask = lambda question, written: (  # type: ignore[method-assign]
            {"error": "it is not kept any more."} if question["kind"] == "load_result" else ask(question, written)
        )
        self.assertEqual(later.go(resume=True), [1, 2])
        self.assertEqual(self.value(later, 2), 10)


class NotKept(ResumeCase):
    def test_what_the_server_did_not_take_is_said_in_the_plan_and_once_in_the_log(self) -> None:
        ask = self.shelf.ask
        problem = "sending its 2.5 GB took longer than 2 minutes."
        self.shelf.ask = lambda question, written: (  # type: ignore[method-assign]
            {"error": problem} if question["kind"] == "keep_result" else ask(question, written)
        )
        bench = self.bench([step(1), step(2)], chain(2))
        self.assertEqual(bench.go(), [1, 2])
        self.assertEqual([state.unkept for state in bench.executor.graph.nodes.values()], [problem, problem])
        self.assertEqual(bench.remarks, [f"N1 is not kept for later sessions: {problem}"])
        self.shelf.ask = ask  # type: ignore[method-assign]
        self.assertEqual(bench.go("all"), [1, 2])
        self.assertEqual(len(self.shelf.keys()), 2)
        self.assertEqual(len(bench.remarks), 1)

    def why(self, body: str, **more: Any) -> str:
        bench = self.bench([node(1, body)], **more)
        bench.go()
        self.assertEqual(self.shelf.keys(), [])
        return bench.executor.graph.nodes[1].unkept

    def test_says_why_a_result_is_not_kept(self) -> None:
        slow = "import time\n                time.sleep(0.002)"
        body = f"""
            out = Transmitter()
            def run(self):
                {slow}
                self.out.send(%s)
        """
        self.assertIn(
            "cannot be copied (Lock)", self.why(body % "__import__('threading').Lock()").replace("lock", "Lock")
        )
        self.assertIn("cannot be stored (module", self.why(body % "__import__('json')"))
        self.assertEqual(
            self.why(body % "b'x' * 2_000_000", most=1_000_000), "it sent 0.002 GB, and 0.001 GB is the most."
        )
        self.assertEqual(
            self.why(body.replace("out =", "cache = False\n            out =") % "1"), "its class says cache = False."
        )

    def test_keeps_nothing_that_used_a_secret_nor_what_it_feeds(self) -> None:
        first = step(1)
        bench = self.bench([first, step(2), step(3)], chain(3))
        bench.executor.graph.nodes[2].secretive = True
        bench.go()
        self.assertEqual(len(self.shelf.keys()), 1)
        nodes = bench.executor.graph.nodes
        self.assertEqual(nodes[2].unkept, "it used a secret or a password.")
        self.assertEqual(nodes[3].unkept, "it is fed by N2: it used a secret or a password.")

    def test_keeps_nothing_of_a_node_with_a_secret_field(self) -> None:
        body = """
            token = Field("", control=Secret())
            def run(self):
                import time
                time.sleep(0.002)
        """
        bench = self.bench([node(1, body, values={"token": "hunter2"})])
        bench.go()
        self.assertEqual(bench.executor.graph.nodes[1].unkept, "it used a secret or a password.")
        self.assertEqual(self.shelf.keys(), [])

    def test_keeps_nothing_that_was_made_from_older_values(self) -> None:
        nodes = [step(1), step(2)]
        bench = self.bench(nodes, chain(2))
        bench.go()
        self.assertEqual(len(self.shelf.keys()), 2)
        nodes[0], nodes[1] = step(1, "100"), step(2, "self.inp * 10")
        # Runs with what the first node sent before its code changed.
        self.assertEqual(bench.go("one", 2), [2])
        self.assertEqual(self.value(bench, 2), 10)
        self.assertEqual(len(self.shelf.keys()), 2)
        self.assertEqual(bench.executor.graph.nodes[2].unkept, "it is fed by N1, which has changed since it ran.")

    def test_keeps_nothing_that_somebody_changed_while_it_was_paused(self) -> None:
        bench = self.bench([step(1), step(2)], chain(2))
        bench.keeper.begin = lambda planned, begin=bench.keeper.begin: (  # type: ignore[method-assign]
            begin(planned),
            setattr(bench.executor.graph.nodes[1], "evaluated", True),
        )
        bench.go()
        self.assertEqual(self.shelf.keys(), [])
        self.assertIn("evaluated code in it", bench.executor.graph.nodes[2].unkept)

    # On a busy machine a quick node may take some milliseconds.
    @patch("miranda.results.keeper.QUICK", 60)
    def test_keeps_nothing_quick(self) -> None:
        self.bench([step(key, seconds=0) for key in (1, 2)], chain(2)).go()
        self.assertEqual(self.shelf.keys(), [])

    def test_keeps_something_quick_when_asked(self) -> None:
        self.bench([step(1, body='cache = "project"', seconds=0)]).go()
        self.assertEqual(len(self.shelf.keys()), 1)

    def test_keeps_nothing_of_a_node_that_failed_or_is_fed_by_one(self) -> None:
        half = node(
            1,
            """
            out = Transmitter()
            def run(self):
                import time
                self.out.send(1)
                time.sleep(0.02)
                raise ValueError
        """,
        )
        self.bench([half, step(2)], chain(2)).go()
        self.assertEqual(self.shelf.keys(), [])

    def test_keeps_nothing_in_a_loop(self) -> None:
        loop = node(
            1,
            """
            inp = Receiver(optional=True)
            out = Transmitter()
            def run(self):
                import time
                time.sleep(0.002)
                if (self.inp or 0) < 3:
                    self.out.send((self.inp or 0) + 1)
        """,
        )
        bench = self.bench([loop, step(2)], [edge(1, "out", 1, "inp"), edge(1, "out", 2, "inp")])
        bench.go()
        self.assertEqual(self.shelf.keys(), [])
