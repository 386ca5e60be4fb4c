"""
Runs a chain of 1,000 trivial nodes in the executor, with and without keeping results, and beside it a bare loop that
keeps outputs and times.
"""

import json
import os
import sys
import time

sys.path.insert(0, sys.path[0].replace("benchmarks", "runtime"))

from tests.graphs import Bench, edge  # noqa: E402
from tests.results.shelf import KeepingBench, Shelf  # noqa: E402

SIZE = 1_000
ROUNDS = {"quick": 40, "tiny": 2}.get(os.environ.get("BENCH_SIZE", ""), 60)
SOURCE = "from miranda import *\nclass N(Node):\n    a = Receiver()\n    b = Transmitter()\n    def run(self):\n        self.b.send(1)\n"

nodes = [{"id": key, "name": f"N{key}", "source_code": SOURCE} for key in range(SIZE)]
edges = [edge(key, "b", key + 1, "a") for key in range(SIZE - 1)]
bench = Bench(nodes, edges)
bench.run()


def ours(bench: Bench) -> float:
    began = time.perf_counter()
    bench.executor.run("all")
    return (time.perf_counter() - began) / SIZE


class Bare:
    def run(self, value):
        return 1


def bare() -> float:
    instances = [Bare() for _ in range(SIZE)]
    outputs, times = {}, {}
    value = None
    began = time.perf_counter()
    for at, instance in enumerate(instances):
        start = time.perf_counter()
        value = outputs[at] = instance.run(value)
        times[at] = time.perf_counter() - start
    return (time.perf_counter() - began) / SIZE


# Before anything else is in memory, which would make it slower.
alone = [ours(bench) for _ in range(ROUNDS)]
shelf = Shelf()
keeping = KeepingBench(shelf, nodes, edges)
keeping.go()
plain, kept = [], []
for _ in range(ROUNDS):
    # In turn: the machine may be busier in one minute than in the next.
    plain.append(ours(bench))
    kept.append(ours(keeping))
    keeping.settle()
print(json.dumps({"ours": min(alone), "plain": min(plain), "kept": min(kept), "bare": min(bare() for _ in range(ROUNDS))}))
shelf.close()
keeping.close()
