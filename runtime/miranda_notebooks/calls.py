"""What calls are made on, and which of them are known to change nothing."""

from __future__ import annotations

import ast

from .names import words


def base_of(node: ast.AST) -> str | None:
    """The name that `a.b[0].c(1).d` begins with."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred, ast.Call, ast.Await)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def dotted(node: ast.AST) -> str:
    """`a.b.c`, as far as it is names only; `a[0].b` is `a.b`."""
    parts: list[str] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def called(node: ast.Call) -> str:
    """The last word of what is called: `fit` of `model.fit(x)`."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


#: Functions of Python that change nothing they are given.
READING = words("""
    abs all any bool dict dir display enumerate float format frozenset getattr hasattr hash help int isinstance
    issubclass len list max min ord chr pow print range repr reversed round set sorted str sum tuple type zip map filter
    complex bytes divmod slice super Exception ValueError iter
    """)
#: Of these, those whose result has nothing of what they are given.
MAKING = words("abs all any bool float format hash int len ord chr pow range repr round str type isinstance print sum")
#: Methods that change what they are called on, and nothing else.
CHANGING = words("""
    add append appendleft clear discard extend extendleft fit fit_predict fit_transform insert load_state_dict
    move_to_end partial_fit pop popitem popleft remove reverse rotate setdefault sort symmetric_difference_update update
    zero_grad
    """)
#: Methods that change nothing.
HARMLESS = words("""
    agg aggregate all any apply applymap argmax argmin argsort assign astype capitalize copy corr count cov
    cross_val crosstab cumsum cumprod cut decision_function describe diff dot drop drop_duplicates dropna dtypes
    duplicated encode decode endswith eq explode fillna find first flatten format ge get get_params
    get_feature_names_out groupby gt head hist idxmax idxmin index info interpolate inverse_transform isalpha
    isdigit isin isna isnull isspace items join keys kneighbors last le lower lstrip lt map max mean median melt
    memory_usage merge min mode most_common ne nlargest notna notnull nsmallest nunique partition pct_change pipe
    pivot pivot_table plot predict predict_log_proba predict_proba prod quantile query ravel rename replace resample
    reset_index reshape rfind rolling round rsplit rstrip sample score select_dtypes set_index shift size sort_index
    sort_values split splitlines squeeze stack startswith std strip sub sum summary swapaxes tail title tolist
    transform transpose unique unstack upper value_counts values var where xs zfill eq corrwith add_prefix
    add_suffix clip expanding ewm filter between nonzero trace conj total_seconds strftime isoformat weekday date
    time
    """)
#: Of these, those whose result has nothing of the object's own in it.
FRESH = words("""
    all any copy corr count cov describe mean median min max std var sum prod nunique value_counts score predict
    predict_proba predict_log_proba size tolist to_string total_seconds strftime isoformat lower upper strip split
    splitlines startswith endswith format argmax argmin idxmax idxmin
    """)
#: Attributes of arrays and frames that are numbers and texts.
FRESH_ATTRIBUTES = words("shape size ndim dtype dtypes nbytes itemsize columns name")
#: Libraries whose functions change nothing that they are given, but for these.
QUIET = words("""
    numpy pandas sklearn scipy matplotlib seaborn statsmodels math cmath statistics json re collections itertools
    functools datetime time string textwrap pprint plotly IPython decimal fractions operator typing dataclasses copy
    random calendar unicodedata hashlib base64 enum altair tabulate mpl_toolkits os pathlib
    """)
NOT_QUIET = words("""
    shuffle copyto put place putmask fill_diagonal at put_along_axis setflags heappush heappop heapify insort setattr
    delattr next
    """)
#: Methods of frames, and functions, to which a function is given only to be called at once.
CALLING = words("apply applymap agg aggregate transform pipe map sorted min max")
#: What makes values that cannot be copied.
NOT_COPIED = words("""
    iter map filter zip enumerate reversed open connect cursor reader writer DictReader DictWriter Thread Lock Popen
    Pool Session Client Generator cycle count chain islice groupby tee product writer memmap load_dataset DataLoader
    """)
