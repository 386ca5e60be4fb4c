"""What modules set and draw while a node imports them."""

from __future__ import annotations

import importlib
import importlib.util
import os
import random
import sys
import tempfile
import threading
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from miranda.isolation.process_state import Home, ProcessState

from .apart import Turn, apart, fresh, made, needs


def run(state: ProcessState, home: Home, code: Callable[[], Any]) -> Any:
    with Turn(state, home):
        return code()


def module(name: str, text: str) -> Callable[[], Any]:
    """Writes it, and gives how to import it."""
    folder = tempfile.mkdtemp()
    Path(folder, f"{name}.py").write_text(text)
    sys.path.insert(0, folder)
    return lambda: importlib.import_module(name)


class Modules(unittest.TestCase):
    @apart
    def test_what_a_module_sets_while_it_is_imported_stays_like_the_module(self) -> None:
        load = module(
            "settings_of_all",
            "import logging, os, sys, warnings\n"
            "warnings.filterwarnings('ignore', message='of a module')\n"
            "os.environ['OF_A_MODULE'] = '1'\n"
            "logging.getLogger('of_a_module').addHandler(logging.NullHandler())\n"
            "sys.modules['of_a_module.made'] = type(sys)('of_a_module.made')\n",
        )
        state = ProcessState()
        other = made(state, making=lambda: warnings.simplefilter("always"))

        def check() -> None:
            import logging

            assert any(one[1] and one[1].pattern == "of a module" for one in warnings.filters)
            assert os.environ["OF_A_MODULE"] == "1"
            assert logging.getLogger("of_a_module").handlers
            assert "of_a_module.made" in sys.modules

        def import_and_set() -> None:
            os.environ["OF_THE_NODE"] = "1"
            load()
            check()

        run(state, made(state), import_and_set)
        run(state, other, check)
        check()
        assert "OF_THE_NODE" not in os.environ

    @apart
    def test_what_a_module_draws_is_drawn_for_nobody(self) -> None:
        load = module("draws", "import random\nrandom.random()\nrandom.seed(3)\nX = random.random()\n")
        state = ProcessState()
        home = made(state, 8)
        alone = run(state, home, random.random)
        first = run(state, home, lambda: (load(), random.random()))
        again = run(state, home, lambda: (load(), random.random()))
        assert first == again
        assert first[1] == alone

    @apart
    def test_a_module_draws_the_same_whoever_imports_it_first(self) -> None:
        load = module("draws", "import random\nX = random.random()\n")
        state = ProcessState()
        drawn = set[float]()
        for seed in (1, 2):
            sys.modules.pop("draws", None)
            home = made(state, seed)
            drawn.add(run(state, home, lambda: (random.random(), load().X)[1]))
        assert len(drawn) == 1

    @needs("numpy")
    @fresh
    def test_a_library_below_an_imported_module_is_seeded(self) -> None:
        assert "numpy" not in sys.modules
        load = module("uses_numpy", "import numpy\nX = numpy.random.rand()\n")
        state = ProcessState()
        home = made(state, 8)

        def draw() -> Any:
            found = load()
            return found.X, found.numpy.random.rand()

        assert run(state, home, draw) == run(state, home, draw)
        assert run(state, made(state, 8), draw) == run(state, home, draw)

    @apart
    def test_a_module_that_cannot_be_imported_leaves_everything_in_order(self) -> None:
        load = module(
            "broken", "import os, random\nrandom.seed(1)\nos.environ['BROKEN'] = '1'\nraise KeyError('broken')\n"
        )
        state = ProcessState()
        home = made(state, 8)
        alone = run(state, home, random.random)

        def fail() -> float:
            for _ in range(2):
                try:
                    load()
                except KeyError:
                    pass
            return random.random()

        assert run(state, home, fail) == alone
        assert not state.watch.is_inside

    @apart
    def test_modules_look_as_if_nobody_had_watched(self) -> None:
        load = module("plain", "import json.tool, xml.dom.minidom\n")
        state = ProcessState()
        found = run(state, made(state), load)
        assert type(found.__spec__.loader).__name__ == "SourceFileLoader"
        assert "exec_module" not in vars(found.__loader__)
        assert run(state, made(state), lambda: importlib.util.find_spec("no_such_module")) is None
        run(state, made(state), lambda: importlib.reload(found))

    @apart
    def test_a_thread_of_a_node_may_import(self) -> None:
        load = module("in_a_thread", "import os\nos.environ['IN_A_THREAD'] = '1'\nX = 1\n")
        state = ProcessState()
        found: list[int] = []

        def start() -> None:
            thread = threading.Thread(target=lambda: found.append(load().X))
            thread.start()
            thread.join()

        run(state, made(state), start)
        assert found == [1]

    @needs("matplotlib")
    @apart
    def test_a_style_that_a_module_sets_is_there_for_all(self) -> None:
        load = module("house_style", "import matplotlib.pyplot as plt\nplt.style.use('ggplot')\n")
        state = ProcessState()
        one, other = made(state), made(state)

        def colour() -> Any:
            return load().plt.rcParams["axes.facecolor"]

        assert run(state, one, colour) == run(state, other, colour) == "#E5E5E5"


if __name__ == "__main__":
    unittest.main()
