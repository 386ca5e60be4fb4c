"""Times a loop in a node while another node has a breakpoint, and the same loop in plain Python."""

import json
import os
import sys
import time

sys.path.insert(0, sys.path[0].replace("benchmarks", "runtime"))

from tests.graphs import LaneBench  # noqa: E402

LOOP = """
    def run(self):
        began = time.perf_counter()
        total = 0
        for n in range(2_000_000):
            total += n * 2
            if total > 10 ** 18:
                total = 0
        self.took = time.perf_counter() - began
"""
SOURCE = f"import time\nfrom miranda import *\nclass N(Node):{LOOP}"
OTHER = "from miranda import *\nclass Other(Node):\n    def run(self):\n        x = 1\n        y = 2\n"

nodes = [
    {"id": 1, "name": "Loop", "source_code": SOURCE},
    {"id": 2, "name": "Other", "source_code": OTHER},
]
bench = LaneBench(nodes)
bench.breakpoints({"2": [4]})


def ours() -> float:
    bench.run(1, 2)
    return bench.instance(1).took


class Plain:
    pass


space = {"time": time}
exec(f"class Plain:{LOOP}", space)


def plain() -> float:
    one = space["Plain"]()
    one.run()
    return one.took


ours(), plain()
rounds = 1 if os.environ.get("BENCH_SIZE") == "tiny" else 9
pairs = [(ours(), plain()) for _ in range(rounds)]
print(
    json.dumps(
        {
            "ours": min(one for one, _ in pairs),
            "bare": min(other for _, other in pairs),
            "stops": len(bench.stops),
            "python": sys.version.split()[0],
        }
    )
)
