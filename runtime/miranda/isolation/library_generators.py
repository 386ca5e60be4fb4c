"""The generators of each library. No library is imported here."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from .generators import Generator


class PlainRandom(Generator):
    def __init__(self, module: Any) -> None:
        import _random

        # Past whatever node code may set on the object.
        kind: Any = _random.Random
        self.own, self.set_seed, self.get_state, self.set_state = module._inst, kind.seed, kind.getstate, kind.setstate

    def seed(self, seed: int | None) -> None:
        own = self.own
        self.set_seed(own, seed)
        own.gauss_next = None

    def get(self) -> Any:
        return self.get_state(self.own), self.own.gauss_next

    def put(self, state: Any) -> None:
        numbers, self.own.gauss_next = state
        self.set_state(self.own, numbers)


class Numpy(Generator):
    """The generator behind `numpy.random.rand` and the like."""

    def __init__(self, module: Any) -> None:
        own = module.mtrand._rand
        self.own = own
        self.set_seed, self.get_state, self.set_state = own.seed, own.get_state, own.set_state
        self.bits = own._bit_generator
        self.set_bits: Any = getattr(module, "set_bit_generator", None)

    def check_bits(self) -> None:
        if self.own._bit_generator is not self.bits and self.set_bits is not None:
            self.set_bits(self.bits)

    def seed(self, seed: int | None) -> None:
        self.check_bits()
        self.set_seed(seed)

    def get(self) -> Any:
        self.check_bits()
        kind, key, *rest = self.get_state()
        return kind, key.tobytes(), key.dtype, rest

    def put(self, state: Any) -> None:
        self.check_bits()
        kind, key, dtype, rest = state
        numpy: Any = sys.modules["numpy"]
        self.set_state((kind, numpy.frombuffer(key, dtype), *rest))


class Torch(Generator):
    """The processor's generator, and those of the graphics cards once they are in use."""

    def __init__(self, module: Any, current_seed: Callable[[], int | None]) -> None:
        self.own = module.default_generator
        self.cuda: Any = getattr(module, "cuda", None)
        self.current_seed = current_seed
        later = getattr(self.cuda, "_lazy_call", None)
        if later is not None:
            # The cards' generators begin to exist when a node first uses a card: they begin like every other.
            later(self.seed_cards)

    def cards(self) -> bool:
        return self.cuda is not None and bool(self.cuda.is_initialized())

    def seed_cards(self) -> None:
        seed = self.current_seed()
        if seed is None:
            self.cuda.seed_all()
        else:
            self.cuda.manual_seed_all(seed)

    def seed(self, seed: int | None) -> None:
        if seed is None:
            self.own.seed()
        else:
            self.own.manual_seed(seed)
        if self.cards():
            if seed is None:
                self.cuda.seed_all()
            else:
                self.cuda.manual_seed_all(seed)

    def get(self) -> Any:
        states = [self.own.get_state(), *(self.cuda.get_rng_state_all() if self.cards() else ())]
        return [bytes(state.tolist()) for state in states]

    def put(self, state: Any) -> None:
        torch: Any = sys.modules["torch"]
        own, *cards = (torch.tensor(list(one), dtype=torch.uint8, device="cpu") for one in state)
        self.own.set_state(own)
        if cards:
            self.cuda.set_rng_state_all(cards)


class TensorFlow(Generator):
    """Its state cannot be read. A node begins with the seed every time."""

    can_save = False

    def __init__(self, module: Any) -> None:
        self.set_seed = module.random.set_seed

    def seed(self, seed: int | None) -> None:
        self.set_seed(int.from_bytes(os.urandom(4), "big") if seed is None else seed)


def generator_of(name: str, module: Any, current_seed: Callable[[], int | None]) -> Generator | None:
    if name == "random":
        return PlainRandom(module)
    if name == "numpy.random":
        return Numpy(module)
    if name == "torch":
        return Torch(module, current_seed)
    if name == "tensorflow":
        return TensorFlow(module)
    return None
