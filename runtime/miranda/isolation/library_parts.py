"""Settings of libraries, from when they are loaded. No library is imported here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .parts import MISSING, Anything, Mapping, Part, Plain, Table, changes, names_in

CONTEXT = ("prec", "rounding", "Emin", "Emax", "capitals", "clamp", "flags", "traps")


class Decimal(Part):
    def __init__(self, module: Any) -> None:
        self.get, self.set, self.default = module.getcontext, module.setcontext, module.DefaultContext
        self.take()

    def now(self) -> Any:
        return self.get().__reduce__(), self.default.__reduce__()

    def put(self, value: Any) -> None:
        (kind, arguments), (_, default) = value
        self.set(kind(*arguments))
        template = kind(*default)
        for name in CONTEXT:
            setattr(self.default, name, getattr(template, name))


class NumpySettings(Part):
    def __init__(self, module: Any) -> None:
        self.get_errors, self.set_errors = module.geterr, module.seterr
        self.get_call, self.set_call = module.geterrcall, module.seterrcall
        self.get_print, self.set_print = module.get_printoptions, module.set_printoptions
        self.take()

    def now(self) -> Any:
        return self.get_errors(), self.get_call(), self.get_print()

    def put(self, value: Any) -> None:
        errors, call, options = value
        self.set_call(call)
        self.set_errors(**errors)
        self.set_print(**options)


class PlotSettings(Mapping):
    """matplotlib's rcParams. Below its own checks: they would load what the setting names, or warn."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.first: Any = getattr(module, "rcParamsOrig", {})
        super().__init__(module.rcParams)

    def now(self) -> dict[Any, Any]:
        # Lists are copied: code changes them in place.
        return {key: copy_of(value) for key, value in Plain.items(self.data)}

    def is_base(self) -> bool:
        if getattr(self.module, "rcParams", None) is not self.data:
            return False
        return super().is_base() or (self.has_chosen_backend() and super().is_base())

    def has_chosen_backend(self) -> bool:
        """
        Where nobody set a backend, the first figure looks for one, which takes long. It is no choice of the node's.
        """
        base = self.base.get("backend")
        chosen = Plain.get(self.data, "backend")
        if isinstance(base, str) or not isinstance(chosen, str) or Plain.get(self.first, "backend") != chosen:
            return False
        self.base["backend"] = chosen
        self.prepare()
        return True

    def apply(self, found: dict[Any, Any]) -> None:
        self.module.rcParams = self.data
        super().apply({key: copy_of(value) for key, value in found.items()})


def copy_of(value: Any) -> Any:
    return [*value] if type(value) is list else value  # pyright: ignore[reportUnknownVariableType]


class Backend(Part):
    """What pyplot draws with."""

    def __init__(self, pyplot: Any) -> None:
        self.space = names_in(pyplot)
        self.settings: Any = sys.modules["matplotlib"]
        self.take()

    def now(self) -> Any:
        return self.space.get("_backend_mod")

    def prepare(self) -> None:
        self.name = Plain.get(self.settings.rcParams, "backend")

    def is_base(self) -> bool:
        current = self.space.get("_backend_mod")
        if current is self.base:
            return True
        # It is loaded by the first figure.
        if self.base is None and Plain.get(self.settings.rcParams, "backend") == self.chosen():
            self.base = current
            return True
        return False

    def chosen(self) -> Any:
        if isinstance(self.name, str):
            return self.name
        return Plain.get(getattr(self.settings, "rcParamsOrig", {}), "backend")

    def own(self) -> Any:
        return None if self.is_base() else (self.now(),)

    def give(self, own: Any) -> None:
        self.put(own[0])

    def put(self, value: Any) -> None:
        self.space["_backend_mod"] = value

    def join(self, before: Any) -> None:
        self.is_base()


class Figures(Part):
    """The figures that pyplot knows by number. Each node has its own."""

    def __init__(self, module: Any) -> None:
        self.kind: Any = module.Gcf
        self.take()

    def take(self) -> None:
        self.base = {}

    def now(self) -> Any:
        return dict(self.kind.figs)

    def is_base(self) -> bool:
        figures = self.kind.__dict__["figs"]
        return not figures and figures.__class__.__name__ == "OrderedDict"

    def put(self, value: Any) -> None:
        from collections import OrderedDict

        self.kind.figs = OrderedDict(value)

    def join(self, before: Any) -> None:
        """A figure that a module draws while it is imported is the node's."""


class ColorMaps(Mapping):
    """A second colour map of the same name would be an error."""

    def __init__(self, module: Any) -> None:
        super().__init__(module.colormaps._cmaps)


class PandasOptions(Table):
    def __init__(self, module: Any) -> None:
        self.config: Any = sys.modules["pandas._config.config"]
        self.tree: dict[str, Any] = self.config._global_config
        self.options: dict[str, Any] = self.config._registered_options
        self.take()

    def now(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        flatten(self.tree, "", found)
        return found

    def prepare(self) -> None:
        tree = copy_tree(self.tree)
        for key, value in changes(self.now(), self.base).items():
            place(tree, key, value)
        self.base_tree = tree

    def is_base(self) -> bool:
        return self.tree == self.base_tree

    def apply(self, found: dict[str, Any]) -> None:
        for key, value in found.items():
            place(self.tree, key, value)
            try:
                told = self.options[key].cb
                if told is not None:
                    told(key)
            except Anything:
                continue


def flatten(tree: dict[str, Any], beginning: str, found: dict[str, Any]) -> None:
    for key, value in tree.items():
        if type(value) is dict:
            flatten(value, f"{beginning}{key}.", found)  # pyright: ignore[reportUnknownArgumentType]
        else:
            found[beginning + key] = value


def copy_tree(tree: dict[str, Any]) -> dict[str, Any]:
    return {
        key: copy_tree(value) if type(value) is dict else value  # pyright: ignore[reportUnknownArgumentType]
        for key, value in tree.items()
    }


def place(tree: dict[str, Any], key: str, value: Any) -> None:
    *path, last = key.split(".")
    for name in path:
        tree = tree.setdefault(name, {})
    if value is MISSING:
        tree.pop(last, None)
    else:
        tree[last] = value


class TorchSettings(Part):
    def __init__(self, module: Any) -> None:
        self.module = module
        self.get_type, self.set_type = module.get_default_dtype, module.set_default_dtype
        self.get_grad, self.set_grad = module.is_grad_enabled, module.set_grad_enabled
        self.take()

    def now(self) -> Any:
        return self.get_type(), self.get_grad()

    def put(self, value: Any) -> None:
        self.set_type(value[0])
        self.set_grad(value[1])


SETTINGS: dict[str, tuple[Callable[[Any], Part], ...]] = {
    "decimal": (Decimal,),
    "numpy": (NumpySettings,),
    "matplotlib": (PlotSettings, ColorMaps),
    "matplotlib.pyplot": (Backend,),
    "matplotlib._pylab_helpers": (Figures,),
    "pandas": (PandasOptions,),
    "torch": (TorchSettings,),
}
