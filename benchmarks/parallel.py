"""Times two branches in parallel and one after the other: two that sleep, and two that compute with numpy."""

import json
import sys
import time

sys.path.insert(0, sys.path[0].replace("benchmarks", "runtime"))

from tests.graphs import Bench  # noqa: E402

SLEEPING = "        time.sleep(2)\n"
# Use one core each: a matrix product would use both cores by itself.
COUNTING = """        import numpy
        values = numpy.full(2_000_000, 0.5)
        for _ in range(25):
            numpy.sin(values, out=values)
"""


def bench(body: str) -> Bench:
    source = f"import time\nfrom miranda import *\nclass N(Node):\n    cache = False\n    def run(self):\n{body}"
    return Bench([{"id": key, "name": f"N{key}", "source_code": source} for key in (1, 2)])


def seconds(one: Bench, slots: int) -> float:
    one.executor.scheduler.slots = slots
    began = time.perf_counter()
    if not one.run("all"):
        raise SystemExit(one.exceptions[0][3])
    return time.perf_counter() - began


sleeping = seconds(bench(SLEEPING), 2)
answer = {"sleeping": sleeping}
try:
    import numpy  # noqa: F401
except ImportError:
    pass
else:
    one = bench(COUNTING)
    rounds = [(seconds(one, 1), seconds(one, 2)) for _ in range(7)]
    answer |= {"apart": min(first for first, _ in rounds), "together": min(second for _, second in rounds)}
print(json.dumps(answer))
