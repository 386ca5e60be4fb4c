# ruff: noqa: E501
"""
Random graphs of nodes that use what libraries keep in the process. Each is run with one lane and with four, in two
orders of the nodes, at first and again, and always gives the same: outputs, prints of each node, and files.

MIRANDA_SEEDS=2000 tries more of them.
"""

from __future__ import annotations

import importlib.util
import os
import random
import shutil
import tempfile
import unittest
from typing import Any

from ..graphs import Bench, edge

HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_PYPLOT = importlib.util.find_spec("matplotlib") is not None
#: Most of them where all libraries are.
SEEDS = int(os.environ.get("MIRANDA_SEEDS") or (300 if HAS_NUMPY and HAS_PYPLOT else 60))
#: So many graphs are run in one session, whose processes load numpy and pyplot once.
A_SESSION = 20

#: Lines of node code. `out` is a list that is sent, `key` the number of the node.
STEPS = [
    "import random; out.append(random.random())",
    "import random; random.seed(3); out.append([random.random() for _ in range(3)])",
    "import random; random.shuffle(out)",
    "import os; out.append(os.environ.get('SHARED')); os.environ['SHARED'] = str(key)",
    "import os; out.append(os.environ.pop('SHARED', 'none')); time.sleep(0.001)",
    "import os; os.makedirs(f'd{key}', exist_ok=True); os.chdir(f'd{key}'); out.append(os.path.basename(os.getcwd()))",
    "import os; out.append(os.path.basename(os.getcwd()))",
    "open('own', 'a').write(f'{key};'); out.append(len(open('own').read()) > 0)",
    "print('node', key); time.sleep(0.001); print('again', key)",
    "import sys; sys.stdout.write('no newline'); sys.stdout.flush()",
    "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as text: print(key)\nout.append(text.getvalue())",
    "import warnings; out.append(warnings.filters[0][0] == 'always'); warnings.simplefilter('always')",
    "import builtins; out.append(hasattr(builtins, 'SHARED')); builtins.SHARED = key",
    "import logging; logging.getLogger('shared').setLevel(10 + key); out.append(logging.getLogger('shared').level)",
    "import decimal; decimal.getcontext().prec = 5 + key % 5; out.append(str(decimal.Decimal(1) / 3))",
    "import decimal; out.append(str(decimal.Decimal(1) / 7))",
    "import sys; out.append('/shared' in sys.path); sys.path.append('/shared')",
    "import locale; out.append(locale.setlocale(locale.LC_ALL)); locale.setlocale(locale.LC_ALL, 'C')",
    "import signal; out.append(signal.getsignal(signal.SIGUSR1) is None); signal.signal(signal.SIGUSR1, signal.SIG_IGN)",
    "given.append('changed'); out.append(len(given))",
    "time.sleep(0.003)",
    "out.append(sum(at * at for at in range(2000)))",
    "import os; os.write(1, b'written\\n')",
]
NUMPY_STEPS = [
    "import numpy; out.append(float(numpy.random.rand()))",
    "import numpy; numpy.random.seed(0); time.sleep(0.002); out.append(numpy.random.rand(3).tolist())",
    "import numpy; numpy.set_printoptions(precision=2); out.append(str(numpy.array([1 / 3])))",
    "import numpy; out.append(str(numpy.array([2 / 3])))",
]
PYPLOT_STEPS = [
    "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt; plt.plot([key, 1]); time.sleep(0.003); out.append(picture(plt))",
    "import matplotlib; matplotlib.use('Agg'); import matplotlib.pyplot as plt; plt.title(str(key)); plt.rcParams['lines.linewidth'] = key; out.append(picture(plt))",
]
PICTURE = """
def picture(plt):
    import hashlib, io
    held = io.BytesIO()
    plt.gcf().savefig(held, format="png", metadata={"Software": None})
    return hashlib.sha256(held.getvalue()).hexdigest()[:12]
"""


def made_node(chance: random.Random, key: int, inputs: int) -> dict[str, Any]:
    known = STEPS + (NUMPY_STEPS if HAS_NUMPY else []) + (PYPLOT_STEPS if HAS_PYPLOT else [])
    steps = [chance.choice(known) for _ in range(chance.randint(1, 4))]
    if chance.random() < 0.1:
        steps.append("raise ValueError(str(out)[:20])")
    lines = ["import time", f"key = {key}", "given = []"]
    lines += [f"given.append(self.in{at})" for at in range(inputs)]
    lines += ["out = [len(str(given))]", *"\n".join(steps).split("\n"), "self.out.send(out + given)"]
    receivers = "".join(f"    in{at} = Receiver()\n" for at in range(inputs))
    body = "\n".join(f"        {line}" for line in lines)
    source = f"from miranda import *\n{PICTURE}\nclass N(Node):\n    out = Transmitter()\n{receivers}    def run(self):\n{body}\n"
    return {"id": key, "name": f"N{key}", "source_code": source}


def made_graph(seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    chance = random.Random(seed)
    count = chance.randint(3, 7)
    nodes, edges = [], []
    for key in range(1, count + 1):
        sources = chance.sample(range(1, key), min(key - 1, chance.choice((0, 0, 1, 1, 2))))
        edges += [edge(source, "out", key, f"in{at}") for at, source in enumerate(sources)]
        nodes.append(made_node(chance, key, len(sources)))
    return nodes, edges


class Session:
    """One with one lane, or with four. Later graphs find what earlier ones have left in its processes."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.folder = tempfile.mkdtemp(prefix="miranda-property-")
        self.work = os.path.join(self.folder, "work")
        os.mkdir(self.work)
        self.bench: Bench | None = None

    def results(self, nodes: list[Any], edges: list[Any], *, is_backwards: bool) -> list[Any]:
        """What two runs give, the second of which runs everything again, and a third that runs what changed."""
        os.chdir(self.work)
        given = {"nodes": nodes[::-1] if is_backwards else nodes, "edges": edges[::-1] if is_backwards else edges}
        if self.bench is None:
            self.bench = Bench(given["nodes"], given["edges"], self.slots)
        bench, keys = self.bench, sorted(one["id"] for one in nodes)
        bench.given = given
        found = []
        for mode in ("all", "all", "changed"):
            bench.channel.printed.clear()
            bench.exceptions.clear()
            bench.statuses.clear()
            bench.run(mode)
            found.append(
                (
                    {key: bench.sent(key) for key in keys},
                    dict(sorted(bench.channel.printed.items())),
                    sorted((key, text.splitlines()[-1]) for key, _, _, text in bench.exceptions),
                    {key: bench.statuses[key] for key in sorted(bench.statuses)},
                )
            )
        return found

    def close(self) -> None:
        if self.bench is not None:
            self.bench.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Property(unittest.TestCase):
    def test_the_same_with_one_lane_and_with_four_in_two_orders(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        for begin in range(0, SEEDS, A_SESSION):
            in_turn, at_once = Session(1), Session(4)
            try:
                for seed in range(begin, min(begin + A_SESSION, SEEDS)):
                    with self.subTest(seed=seed):
                        nodes, edges = made_graph(seed)
                        first = in_turn.results(nodes, edges, is_backwards=False)
                        self.assertEqual(first[0][0], first[1][0], "a second run gives the same")
                        self.assertEqual(at_once.results(nodes, edges, is_backwards=bool(seed % 2)), first)
            finally:
                os.chdir("/")
                in_turn.close()
                at_once.close()


if __name__ == "__main__":
    unittest.main()
