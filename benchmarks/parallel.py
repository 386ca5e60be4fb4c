"""
Times two branches at once and one after the other: two that sleep, two that compute with numpy, two of plain Python.
Times a large array on its way to another process, beside a copy into shared memory.
"""

import json
import mmap
import os
import sys
import time

sys.path.insert(0, sys.path[0].replace("benchmarks", "runtime"))

from tests.graphs import Bench, edge  # noqa: E402

SLEEPING = "        time.sleep(2)\n"
# Use one core each: a matrix product would use both cores by itself.
NUMPY = """        import numpy
        values = numpy.full(2_000_000, 0.5)
        for _ in range(25):
            numpy.sin(values, out=values)
"""
PLAIN = """        total = 0
        for at in range(4_000_000):
            total += at * at
"""
SENDS = """        import numpy
        big = numpy.full(100 << 20, 1, dtype="u1")
        self.began.send(time.perf_counter())
        self.big.send(big)
"""
#: Two of them: one runs beside the sender's values, the other has to get them.
READS = """        first = int(self.big[0])
        self.there.send(time.perf_counter())
        time.sleep(0.2)
"""
SIZE = 100 << 20


def source(body: str, attributes: str = "") -> str:
    return f"import time\nfrom miranda import *\nclass N(Node):\n    cache = False\n{attributes}    def run(self):\n{body}"


def bench(body: str) -> Bench:
    return Bench([{"id": key, "name": f"N{key}", "source_code": source(body)} for key in (1, 2)])


def run(one: Bench, slots: int) -> float:
    one.executor.scheduler.slots = slots
    began = time.perf_counter()
    if not one.run("all"):
        raise SystemExit(one.exceptions[0][3])
    return time.perf_counter() - began


def apart_and_together(body: str) -> tuple[float, float]:
    one = bench(body)
    rounds = [(run(one, 1), run(one, 2)) for _ in range(7)]
    return min(first for first, _ in rounds), min(second for _, second in rounds)


def crossing() -> float:
    """Seconds from a send until a reader in another process has the array."""
    nodes = [
        {"id": 1, "name": "N1", "source_code": source(SENDS, "    big = Transmitter()\n    began = Transmitter()\n")},
        *(
            {"id": key, "name": f"N{key}", "source_code": source(READS, "    big = Receiver()\n    there = Transmitter()\n")}
            for key in (2, 3)
        ),
    ]
    one = Bench(nodes, [edge(1, "big", key, "big") for key in (2, 3)], slots=2)
    found: list[float] = []
    for _ in range(7):
        run(one, 2)
        began = one.sent(1, "began")
        found.append(max(one.sent(key, "there") - began for key in (2, 3)))
    one.close()
    return min(found)


def shared_copy() -> float:
    """Seconds to copy such an array into memory that another process can map."""
    import numpy

    big = numpy.full(SIZE, 1, dtype="u1")
    found: list[float] = []
    for _ in range(7):
        began = time.perf_counter()
        file = os.memfd_create("copy")
        os.ftruncate(file, SIZE)
        with mmap.mmap(file, SIZE) as memory:
            memory[:] = big.data
        found.append(time.perf_counter() - began)
        os.close(file)
    return min(found)


answer: dict[str, object] = {"sleeping": run(bench(SLEEPING), 2), "plain": apart_and_together(PLAIN)}
try:
    import numpy  # noqa: F401
except ImportError:
    pass
else:
    answer |= {"numpy": apart_and_together(NUMPY), "crossing": crossing(), "copy": shared_copy()}
print(json.dumps(answer))
