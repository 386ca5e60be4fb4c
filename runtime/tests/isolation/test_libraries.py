"""numpy, pandas and matplotlib: two nodes in turn, in any order."""

from __future__ import annotations

import random
import sys
import types
import unittest
from collections.abc import Callable
from typing import Any

from miranda.isolation.process_state import Home, ProcessState

from .apart import Turn, apart, fresh, library, made, needs


def run(state: ProcessState, home: Home, code: Callable[[], Any]) -> Any:
    with Turn(state, home):
        return code()


def draw() -> list[float]:
    numpy = library("numpy")

    return [random.random(), *numpy.random.rand(3).tolist(), float(numpy.random.standard_normal())]


class Random(unittest.TestCase):
    @needs("numpy")
    @apart
    def test_r1_two_nodes_that_seed_and_draw_in_turn_draw_what_each_would_alone(self) -> None:
        numpy = library("numpy")

        numpy.random.seed(0)
        alone = numpy.random.rand(5).tolist()
        state = ProcessState()
        for _ in range(3):
            drawn: dict[int, list[float]] = {}
            for number, home in enumerate((made(state, 1), made(state, 2))):

                def seeded() -> list[float]:
                    numpy.random.seed(0)
                    return numpy.random.rand(5).tolist()

                drawn[number] = run(state, home, seeded)
            assert drawn[0] == drawn[1] == alone, drawn

    @needs("numpy")
    @apart
    def test_the_order_of_runs_changes_nothing(self) -> None:
        state = ProcessState()
        one, other = made(state, 1), made(state, 2)
        first = [run(state, home, draw) for home in (one, other, one)]
        second = [run(state, home, draw) for home in (other, one, one)]
        assert first[0] == first[2] == second[1] == second[2]
        assert first[1] == second[0]
        assert first[0] != first[1]

    @needs("numpy")
    @fresh
    def test_the_first_session_draws_what_later_ones_do(self) -> None:
        """In the first the library is imported in the middle of a run, in the second before anything."""
        assert "numpy" not in sys.modules
        state = ProcessState()
        home = made(state, 9)
        first = run(state, home, draw)
        assert first == run(state, home, draw)
        assert first == run(state, made(state, 9), draw)
        later = ProcessState()
        assert first == run(later, made(later, 9), draw)

    @needs("numpy")
    @apart
    def test_what_the_making_has_drawn_is_drawn_in_every_session(self) -> None:
        state = ProcessState()
        first = run(state, made(state, 9, draw), draw)
        again = made(state, 9, draw)
        assert first == run(state, again, draw) == run(state, again, draw)
        assert first != run(state, made(state, 9), draw)

    @needs("numpy")
    @apart
    def test_another_bit_generator_is_the_nodes_own(self) -> None:
        numpy = library("numpy")

        if not hasattr(numpy.random, "set_bit_generator"):
            raise unittest.SkipTest("this numpy has no set_bit_generator")
        state = ProcessState()
        one, other = made(state, 1), made(state, 2)
        before = run(state, other, draw)
        run(state, one, lambda: numpy.random.set_bit_generator(numpy.random.PCG64(1)))
        assert run(state, other, draw) == before

    @needs("numpy")
    @apart
    def test_seed_none_draws_other_numbers(self) -> None:
        state = ProcessState()
        home = made(state, None)
        assert run(state, home, draw) != run(state, home, draw)


class Settings(unittest.TestCase):
    @needs("numpy", "pandas", "matplotlib")
    @apart
    def test_settings_of_one_node_are_not_seen_by_another(self) -> None:
        state = ProcessState()
        one, other = made(state), made(state)

        def load() -> None:
            for name in ("matplotlib.pyplot", "numpy", "pandas"):
                library(name)

        run(state, one, load)
        matplotlib = library("matplotlib")
        plt = library("matplotlib.pyplot")
        np = library("numpy")
        pd = library("pandas")
        listed = library("matplotlib.colors").ListedColormap
        kinds: list[tuple[str, Callable[[], Any], Callable[[], Any]]] = [
            ("seterr", lambda: np.seterr(all="raise"), np.geterr),
            ("seterrcall", lambda: np.seterrcall(lambda *_: None), np.geterrcall),
            ("printoptions", lambda: np.set_printoptions(precision=2), np.get_printoptions),
            ("an option", lambda: pd.set_option("display.max_rows", 7), lambda: pd.get_option("display.max_rows")),
            ("a setting", lambda: plt.rcParams.update({"lines.linewidth": 9}), lambda: plt.rcParams["lines.linewidth"]),
            ("a style", lambda: plt.style.use("ggplot"), lambda: plt.rcParams["axes.facecolor"]),
            ("fonts", lambda: plt.rcParams["font.serif"].insert(0, "X"), lambda: plt.rcParams["font.serif"][0]),
            ("other settings", lambda: setattr(matplotlib, "rcParams", {}), lambda: len(matplotlib.rcParams)),
            ("a colour map", register(matplotlib, listed), lambda: "of a node" in matplotlib.colormaps),
            ("svg", lambda: matplotlib.use("svg"), lambda: matplotlib.get_backend().lower()),
            ("a figure", plt.figure, plt.get_fignums),
        ]
        problems: list[str] = []
        for name, put, look in kinds:
            try:
                before = run(state, other, look)
                run(state, one, put)
                assert run(state, other, look) == before, f"{run(state, other, look)} is not {before}"
                assert look() == before, "the base"
                own = made(state, making=put)
                first = run(state, own, look)
                assert first == run(state, own, look)
                assert run(state, other, look) == before
                if name != "other settings":
                    assert first != before, "not kept"
            except Exception as error:
                problems.append(f"{name}: {error!r}")
        assert not problems, "\n".join(problems)

    @needs("pandas")
    @apart
    def test_a_pandas_option_is_told_to_who_uses_it(self) -> None:
        state = ProcessState()
        one, other = made(state), made(state)

        def option() -> Any:
            expressions = library("pandas.core.computation.expressions")
            return expressions.USE_NUMEXPR, expressions._evaluate

        def put() -> None:
            pandas = library("pandas")

            pandas.set_option("compute.use_numexpr", not pandas.get_option("compute.use_numexpr"))

        before = run(state, other, option)
        run(state, one, put)
        assert run(state, other, option) == before

    @needs("matplotlib")
    @apart
    def test_r2_each_node_has_its_own_figures(self) -> None:
        state = ProcessState()
        homes = made(state), made(state)

        def title(home: int) -> Callable[[], str]:
            def plot() -> str:
                matplotlib = library("matplotlib")

                matplotlib.use("agg")
                plt = library("matplotlib.pyplot")

                assert plt.get_fignums() == []
                plt.figure()
                plt.title(f"of {home}")
                plt.plot([1, 2, home])
                figure = plt.gcf()
                return f"{figure.axes[0].get_title()} {len(figure.axes[0].lines)}"

            return plot

        for number, home in [*enumerate(homes), *reversed([*enumerate(homes)])]:
            assert run(state, home, title(number)) == f"of {number} 1"

    @needs("matplotlib")
    @apart
    def test_the_backend_that_matplotlib_chooses_is_chosen_once(self) -> None:
        import os

        os.environ.pop("MPLBACKEND", None)
        os.environ.pop("DISPLAY", None)
        state = ProcessState()
        home = made(state)

        def plot() -> Any:
            plt = library("matplotlib.pyplot")

            plt.figure()
            return dict.get(plt.rcParams, "backend"), plt._backend_mod

        chosen = run(state, home, plot)
        matplotlib = library("matplotlib")

        assert dict.get(matplotlib.rcParams, "backend") == chosen[0]
        assert run(state, home, plot) == chosen

    @needs("numpy", "pandas", "matplotlib")
    @apart
    def test_a_node_that_changes_nothing_leaves_nothing_to_put_back(self) -> None:
        state = ProcessState()
        home = made(state)

        def load() -> None:
            library("pandas").DataFrame({"a": [1]}).plot()
            library("matplotlib.pyplot").close("all")

        run(state, home, load)
        with Turn(state, home):
            pass
        for part in state.parts:
            assert part.is_base(), part


def register(matplotlib: Any, kind: Any) -> Callable[[], None]:
    return lambda: matplotlib.colormaps.register(kind([(0, 0, 0), (1, 1, 1)], "of a node"))


class FakeGenerator:
    """As torch's: a number that each draw changes."""

    def __init__(self) -> None:
        self.state = [0]

    def manual_seed(self, seed: int) -> None:
        self.state = [seed % 251]

    def get_state(self) -> FakeTensor:
        return FakeTensor(self.state)

    def set_state(self, state: FakeTensor) -> None:
        self.state = state.tolist()

    def draw(self) -> int:
        self.state = [(self.state[0] * 7 + 1) % 251]
        return self.state[0]


class FakeTensor:
    def __init__(self, numbers: list[int]) -> None:
        self.numbers = [*numbers]

    def tolist(self) -> list[int]:
        return self.numbers


class LargeLibraries(unittest.TestCase):
    """torch and tensorflow are too large to be installed for tests: modules with the calls that are used of them."""

    @apart
    def test_torch_is_seeded_and_put_back(self) -> None:
        torch: Any = types.ModuleType("torch")
        torch.default_generator = FakeGenerator()
        torch.tensor = lambda numbers, **_: FakeTensor(numbers)
        torch.uint8 = None
        later: list[Callable[[], None]] = []
        card = FakeGenerator()
        torch.cuda = types.SimpleNamespace(
            _lazy_call=later.append, is_initialized=lambda: not later, manual_seed_all=card.manual_seed
        )
        torch.cuda.get_rng_state_all = lambda: [card.get_state()]
        torch.cuda.set_rng_state_all = lambda states: card.set_state(states[0])
        sys.modules["torch"] = torch
        state = ProcessState()
        one, other = made(state, 5), made(state, 6)
        drawn_by_making = made(state, 5, making=torch.default_generator.draw)
        first = run(state, one, torch.default_generator.draw)
        run(state, other, torch.default_generator.draw)
        assert run(state, one, torch.default_generator.draw) == first
        assert run(state, drawn_by_making, torch.default_generator.draw) != first

        def first_use_of_a_card() -> int:
            if later:
                later.pop()()
            return card.draw()

        drawn = run(state, one, first_use_of_a_card)
        run(state, other, first_use_of_a_card)
        assert run(state, one, first_use_of_a_card) == drawn

    @apart
    def test_tensorflow_is_seeded_before_every_run(self) -> None:
        tensorflow: Any = types.ModuleType("tensorflow")
        seeds: list[int] = []
        tensorflow.random = types.SimpleNamespace(set_seed=seeds.append)
        sys.modules["tensorflow"] = tensorflow
        state = ProcessState()
        home = made(state, 5)
        seeds.clear()
        for _ in range(2):
            run(state, home, lambda: None)
        assert seeds == [5, 5]


if __name__ == "__main__":
    unittest.main()
