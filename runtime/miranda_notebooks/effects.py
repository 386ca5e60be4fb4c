"""
What cells do to each other without a name: files, random numbers, settings of libraries, the process. In doubt the
cells stay together.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from .calls import NOT_QUIET, QUIET, base_of, called, dotted
from .cells import Cell
from .names import words

#: Names whose use says that code may reach any other name.
REACHING = words("exec eval globals locals vars compile __import__ get_ipython exit quit breakpoint In Out _ __ input")
#: Modules that run code at other times, or change how other code runs.
OTHER_TIMES = words("""
    threading asyncio multiprocessing concurrent signal atexit gc ctypes unittest mock sys builtins importlib inspect
    subprocess socket socketserver http sqlite3 logging contextvars weakref tracemalloc resource pty ipywidgets ray dask
    """)
#: Modules of the list above in names that only read.
ONLY_READ = words(
    "sys.version sys.version_info sys.executable sys.platform sys.maxsize sys.getsizeof inspect.getsource"
)
RANDOM = words("random secrets rand randn randint choice shuffle sample permutation normal uniform seed manual_seed")
SEEDS = words("seed set_seed manual_seed seed_everything set_random_seed random_seed")
STATE = words("""
    chdir putenv setlocale setrecursionlimit basicConfig filterwarnings simplefilter resetwarnings rcdefaults rc use
    set_option reset_option set_theme set_printoptions set_default_dtype set_default_device ion ioff switch_backend
    rc_file getcontext setcontext
    """)
STATE_NAMES = words("environ rcParams options modules path InlineBackend config")
FILES = words("os shutil pathlib tempfile glob zipfile tarfile h5py pickle joblib io csv urllib requests")
PURE_OF_OS = words("os.path os.getcwd os.cpu_count os.sep os.linesep os.name os.getpid")
WRITES = ("to_", "save", "write", "dump", "download", "export", "urlretrieve", "mkdir", "makedirs", "touch", "unlink")
READS = ("read", "load", "open", "glob", "exists", "listdir", "imread", "fetch", "parse", "from_file", "genfromtxt")
NOT_FILES = words("""
    to_numpy to_list to_dict to_frame to_datetime to_numeric to_timedelta to_period to_timestamp to_string to_html
    to_markdown to_records to_series to_flat_index to_categorical to_crs to_latex reader
    """)
DRAWING = words("matplotlib seaborn pylab mpl_toolkits")


@dataclass
class Together:
    """Cells that have to stay in one node, from the first to the last of them, and why."""

    first: int
    last: int
    because: str


class Effects:
    """`known` has the cells' trees with the bodies of the functions that they call."""

    def __init__(
        self, cells: list[Cell], trees: list[list[ast.stmt]], modules: dict[str, str], is_script: bool
    ) -> None:
        self.cells, self.trees, self.modules, self.is_script = cells, trees, modules, is_script
        self.last = len(cells) - 1

    def found(self, settings: set[int]) -> list[Together]:
        """`settings` are statements that every node gets."""
        together: list[Together] = []
        random: list[int] = []
        drawn: list[int] = []
        files: list[tuple[int, bool]] = []
        for at, (cell, tree) in enumerate(zip(self.cells, self.trees, strict=True)):
            whole = self.whole(cell, tree)
            if whole:
                return [Together(0, self.last, whole)]
            number = cell.number
            changed = self.state(tree, settings)
            if changed:
                together.append(Together(at, self.last, f"Cell {number} {changed}, which later cells may depend on."))
            if self.uses_random(tree):
                random.append(at)
            if self.is_script and self.draws(tree):
                drawn.append(at)
            use = self.files(tree)
            if use is not None:
                files.append((at, use))
        together += spanning(random, "They draw random numbers from one sequence.")
        together += spanning(drawn, "They draw with pyplot, which keeps its figures until they are shown.")
        writers = [at for at, writes in files if writes]
        if writers:
            touched = [at for at, _ in files if at >= writers[0]]
            together += spanning(touched, "They use files that one of them may write.")
        return together

    def whole(self, cell: Cell, tree: list[ast.stmt]) -> str:
        """Why nothing can be said about its cells one by one."""
        name = f"Cell {cell.number}"
        own = {part.id for part in every(tree) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        if cell.error:
            return f"{name} is not valid Python."
        if not cell.is_python or (not cell.is_plain and not cell.is_only_looks):
            return f"{name} uses IPython, whose lines cannot be read in advance."
        for part in every(tree):
            if isinstance(part, ast.Name) and part.id in REACHING and part.id not in own | self.modules.keys():
                return f"{name} uses {part.id}, which can reach any name."
            if isinstance(part, ast.ImportFrom) and any(one.name == "*" for one in part.names):
                return f"{name} imports every name of {part.module}."
            if isinstance(part, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
                return f"{name} waits for other code."
            if isinstance(part, ast.Attribute):
                root, path = self.rooted(part)
                if root in OTHER_TIMES and path not in ONLY_READ:
                    return f"{name} uses {path}, which works on the whole process."
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                module = self.modules.get(part.id, "")
                if "." in module and module.partition(".")[0] in OTHER_TIMES and module not in ONLY_READ:
                    return f"{name} uses {module}, which works on the whole process."
        return ""

    def rooted(self, part: ast.Attribute) -> tuple[str, str]:
        """The module that `np.random.seed` begins with, and the whole path: `numpy`, `numpy.random.seed`."""
        path = dotted(part)
        first, _, rest = path.partition(".")
        module = self.modules.get(first)
        if module is None:
            return "", path
        return module.partition(".")[0], f"{module}.{rest}"

    def state(self, tree: list[ast.stmt], settings: set[int]) -> str:
        for statement in tree:
            if id(statement) in settings:
                continue
            for part in every([statement]):
                if isinstance(part, ast.Call):
                    name = called(part)
                    base = base_of(part.func)
                    is_module = base is not None and base in self.modules
                    if (name in SEEDS and is_module) or (name in STATE and is_module):
                        return f"sets {dotted(part.func) or name}"
                if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
                    call = part.value
                    base = base_of(call.func)
                    module = self.modules.get(base or "", "").partition(".")[0]
                    if module and (module not in QUIET or called(call) in NOT_QUIET):
                        return f"calls {dotted(call.func) or base}"
                targets = part.targets if isinstance(part, (ast.Assign, ast.Delete)) else []
                targets = [part.target] if isinstance(part, (ast.AugAssign, ast.AnnAssign)) else targets
                for target in targets:
                    base = base_of(target)
                    if not isinstance(target, ast.Name) and base in self.modules:
                        return f"changes {dotted(target) or base}"
                if isinstance(part, ast.Attribute) and part.attr in STATE_NAMES and base_of(part) in self.modules:
                    return f"uses {dotted(part)}"
                if isinstance(part, ast.Name) and self.modules.get(part.id, "").rpartition(".")[2] in STATE_NAMES:
                    return f"uses {part.id}"
        return ""

    def uses_random(self, tree: list[ast.stmt]) -> bool:
        for part in every(tree):
            if isinstance(part, ast.Attribute) and base_of(part) in self.modules:
                root, path = self.rooted(part)
                if root in ("random", "secrets", "uuid") or set(path.split(".")) & RANDOM:
                    return True
            if isinstance(part, ast.Name) and self.modules.get(part.id, "").partition(".")[0] in ("random", "secrets"):
                return True
            if isinstance(part, ast.Name) and ".random." in self.modules.get(part.id, ""):
                return True
        return False

    def draws(self, tree: list[ast.stmt]) -> bool:
        roots = {self.modules.get(part.id, "").partition(".")[0] for part in every(tree) if isinstance(part, ast.Name)}
        plots = any(isinstance(part, ast.Attribute) and part.attr in ("plot", "hist") for part in every(tree))
        return bool(roots & DRAWING) or plots

    def files(self, tree: list[ast.stmt]) -> bool | None:
        """Whether it may write files; None when it has to do with none."""
        found: bool | None = None
        for part in every(tree):
            if isinstance(part, ast.Attribute):
                root, path = self.rooted(part)
                if root in FILES and ".".join(path.split(".")[:2]) not in PURE_OF_OS:
                    return True
            if isinstance(part, ast.Name) and self.modules.get(part.id, "").partition(".")[0] in FILES:
                return True
            if not isinstance(part, ast.Call):
                continue
            name = called(part)
            if name in NOT_FILES:
                continue
            if name == "open" or name.startswith(WRITES) or name.endswith(("_to_file", "savefig")):
                return True
            if name.startswith(READS):
                found = False
        return found


def spanning(cells: list[int], because: str) -> list[Together]:
    return [Together(cells[0], cells[-1], because)] if len(cells) > 1 else []


def every(tree: Iterable[ast.AST]) -> Iterable[ast.AST]:
    for one in tree:
        yield from ast.walk(one)


def settings_of(cells: list[Cell], modules: dict[str, str]) -> dict[int, ast.stmt]:
    """
    Statements that only set how libraries warn, draw and print, from constants. Each node begins in the same state, so
    each gets a copy of them, as it gets the imports.
    """
    found: dict[int, ast.stmt] = {}
    for cell in cells:
        for part in cell.tree.body:
            if is_setting(part, modules):
                found[id(part)] = part
    return found


SETTING_CALLS = words("""
    warnings.filterwarnings warnings.simplefilter matplotlib.pyplot.style.use matplotlib.style.use matplotlib.pyplot.rc
    matplotlib.pyplot.rcParams.update matplotlib.rcParams.update seaborn.set seaborn.set_theme seaborn.set_style
    seaborn.set_context seaborn.set_palette pandas.set_option numpy.set_printoptions
    """)
SETTING_PLACES = ("matplotlib.pyplot.rcParams", "matplotlib.rcParams", "pandas.options")


def is_setting(part: ast.stmt, modules: dict[str, str]) -> bool:
    def path(node: ast.AST) -> str:
        first, _, rest = dotted(node).partition(".")
        return f"{modules.get(first, '')}.{rest}"

    if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
        call = part.value
        values = [*call.args, *(one.value for one in call.keywords)]
        return path(call.func) in SETTING_CALLS and all(is_constant(one) for one in values)
    if isinstance(part, ast.Assign) and len(part.targets) == 1 and is_constant(part.value):
        target = part.targets[0]
        if isinstance(target, ast.Subscript):
            return is_constant(target.slice) and path(target.value) in SETTING_PLACES
        return isinstance(target, ast.Attribute) and path(target).startswith(SETTING_PLACES)
    return False


def is_constant(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
