"""What a node begins with, whoever ran before it."""

from __future__ import annotations

import os
import sys
import unittest

from miranda.isolation.process_state import Home, ProcessState

from .apart import Turn, apart


class Homes(unittest.TestCase):
    @apart
    def test_an_entered_home_is_not_changed_by_its_runs(self) -> None:
        state = ProcessState()
        home = Home(1)
        state.begin_making(home)
        os.environ["A"] = "1"
        sys.path.append("a")
        state.end_making(home)
        state.leave()
        for _ in range(2):
            with Turn(state, home):
                assert (os.environ["A"], sys.path[-1]) == ("1", "a")
                os.environ["A"] = "2"
                sys.path[:] = []


if __name__ == "__main__":
    unittest.main()
