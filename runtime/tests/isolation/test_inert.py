"""Which nodes need no looking after."""

from __future__ import annotations

import sys
import unittest

from miranda.isolation.inert import is_inert

NODE = """from __future__ import annotations
from miranda import Field, Node, Receiver, Select, Transmitter
LIMIT = 10

class Step(Node):
    '''Adds.'''
    value: int = Receiver("int")
    frame = Receiver("table")
    plot = Transmitter()
    by = Field(1.5, control=Select("a", "b"))
    out = Transmitter("int")
    retries = 2

    def helper(self, x):
        return -x if x > LIMIT else x

    def run(self):
        BODY
"""

INERT = [
    "self.out.send(self.value + 1)",
    "self.out.send({'a': self.value * self.by, 'b': [1, 2]})",
    "self.total = self.value; self.out.send(self.helper(self.total))",
    "print('got', self.value); self.log.info('x %s', len(self.value))",
    "if self.value is not None and self.value > 3:\n            self.out.send(f'{self.value:.2f}!')",
    "if not self.value: raise ValueError('none')\n        x = 0\n        while x < 3: x += 1\n        self.out.send(x)",
]
NOT_INERT = [
    "import random; self.out.send(random.random())",
    "from random import random",
    "__import__('os').chdir('/')",
    "exec(self.value)",
    "eval('1')",
    "compile('1', '', 'eval')",
    "open('x')",
    "input()",
    "globals()['x'] = 1",
    "vars(self)",
    "getattr(self.value, 'plot')()",
    "setattr(Node, 'cache', False)",
    "Node.retries = 3",
    "breakpoint()",
    "__builtins__['print'] = None",
    "self.frame.plot()",
    "self.frame.sample(3)",
    "self.value(3)",
    "model = self.value; self.out.send(model(3))",
    "for row in self.value: self.out.send(row)",
    "self.out.send([x for x in self.value])",
    "self.out.send(self.value[0])",
    "a, b = self.value",
    "self.out.send([*self.value])",
    "with self.value: pass",
    "self.show(1)",
    "try:\n            self.out.send(1)\n        except ValueError: pass",
    "yield 1",
    "self.__class__.x = 1",
    "self.run.__globals__",
    "print.__self__",
    "map(self.value, [1])",
    "sorted(self.value)",
    "print(*self.value)",
    "type(self).x = 1",
    "self.out.send(unknown)",
    "self.value.T",
    "lambda: self.value()",
]


class Inert(unittest.TestCase):
    def test_nodes_that_only_compute_and_send(self) -> None:
        if sys.version_info >= (3, 14):
            self.skipTest("code of this Python may be judged more strictly")
        for body in INERT:
            with self.subTest(body):
                self.assertTrue(is_inert(compile(NODE.replace("BODY", body), "x", "exec")))

    def test_everything_else(self) -> None:
        for body in NOT_INERT:
            with self.subTest(body):
                self.assertFalse(is_inert(compile(NODE.replace("BODY", body), "x", "exec")))

    def test_imports_and_calls_outside_of_functions(self) -> None:
        for line in (
            "import os",
            "import miranda.services",
            "from miranda import show",
            "from miranda import services",
            "from miranda.node import Node",
            "open('x')",
            "Node.cache = False",
            "print.x",
            "async def wait(): pass",
        ):
            with self.subTest(line):
                self.assertFalse(is_inert(compile(NODE.replace("BODY", "pass") + line + "\n", "x", "exec")))


if __name__ == "__main__":
    unittest.main()
