"""
Which values code changes in place. Every node gets its own copy of a value, so a node that changes one has to pass it
on. When this cannot be known, the value counts as changed: an extra edge does no harm.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .names import Function, called, parameters, root_of, words

#: Methods that change what they are called on.
CHANGING = words("""
    add add_column add_edge add_edges_from add_node add_nodes_from append appendleft backward clear close commit compile
    cursor discard drop_caches eval execute executemany executescript extend extendleft fit fit_predict fit_transform
    fit_resample insert load_state_dict move_to_end partial_fit pop popitem popleft put remove requires_grad_ reverse
    rotate send set_params set_index_name setdefault shuffle sort step symmetric_difference_update train update write
    writelines writerow writerows zero_grad
    """)
#: Methods that change nothing, even where nobody uses their result.
HARMLESS = words("""
    agg all any apply area assign astype bar barh boxplot copy corr count crosstab cumsum debug describe display drop
    drop_duplicates dropna dtypes endswith error evaluate exception explode fillna filter find format get get_params
    groupby head hist imshow index info isin isna isnull items join keys legend line log lower map max mean median
    melt memory_usage merge min most_common nlargest notna nsmallest nunique pie pivot pivot_table plot predict
    predict_proba print quantile query rename replace reset_index resample rolling round sample savefig scatter score
    select select_dtypes shape show sort_index sort_values split stack startswith std strip style sum summary tail title
    to_clipboard to_csv to_dict to_excel to_feather to_html to_json to_numpy to_parquet to_pickle to_sql to_string
    tolist transform transpose unique unstack upper value_counts values var warning with_columns xlabel ylabel
    """)
#: Functions that change nothing they are given.
READING = words("""
    abs all any bool dict display dir enumerate float help hasattr hash id int isinstance issubclass len list max min
    pprint print range repr reversed round set show sorted str sum tuple type vars zip dump dumps
    """)
#: Functions that change their first argument.
CHANGING_FIRST = words("delattr heapify heappop heappush heapreplace insort next setattr shuffle")
#: Modules whose functions draw, log or write what they are given.
SHOWING = words("matplotlib pyplot plt sns seaborn px plotly altair alt logging pprint json pickle joblib warnings st")


@dataclass
class FunctionChanges:
    """What a call of a function changes."""

    parameters: tuple[str, ...] = ()
    #: Its parameters, and names from outside.
    changed: set[str] = field(default_factory=set[str])


def changed_by(statements: Iterable[ast.stmt], functions: Mapping[str, FunctionChanges]) -> set[str]:
    """The names whose values the statements change."""
    found: set[str] = set()
    for part in parts_of(statements):
        if isinstance(part, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor, ast.Delete)):
            targets = part.targets if isinstance(part, (ast.Assign, ast.Delete)) else [part.target]
            for target in targets:
                found |= changed_targets(target)
        elif isinstance(part, ast.Call):
            found |= changed_by_call(part, functions)
        elif isinstance(part, ast.Expr):
            found |= changed_by_itself(part.value, functions)
    return found


def parts_of(statements: Iterable[ast.AST]) -> Iterable[ast.AST]:
    """Everything that runs now, without the bodies of functions and classes."""
    waiting = list(statements)
    while waiting:
        part = waiting.pop()
        yield part
        if not isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(part))


def changed_targets(target: ast.AST) -> set[str]:
    if isinstance(target, (ast.Tuple, ast.List)):
        return {name for one in target.elts for name in changed_targets(one)}
    root = root_of(target) if isinstance(target, (ast.Attribute, ast.Subscript)) else None
    return {root} if root else set()


def changed_by_call(call: ast.Call, functions: Mapping[str, FunctionChanges]) -> set[str]:
    name = called(call)
    found: set[str] = set()
    is_method = isinstance(call.func, ast.Attribute)
    in_place = any(
        one.arg == "inplace" and not (isinstance(one.value, ast.Constant) and one.value.value is False)
        for one in call.keywords
    )
    if is_method and (name in CHANGING or in_place or name.startswith("set_")):
        found.add(root_of(call.func) or "")
    if name in CHANGING_FIRST and call.args:
        found.add(root_of(call.args[0]) or "")
    known = functions.get(name) if not is_method else None
    if known is not None:
        given = dict(zip(known.parameters, call.args, strict=False))
        given |= {one.arg: one.value for one in call.keywords if one.arg}
        for changed in known.changed:
            if changed not in known.parameters:
                found.add(changed)
            elif changed in given:
                found.add(root_of(given[changed]) or "")
    return found - {""}


def changed_by_itself(value: ast.expr, functions: Mapping[str, FunctionChanges]) -> set[str]:
    """A call whose result is not used must do something, most often to its object or its arguments."""
    call = value.value if isinstance(value, ast.Await) else value
    if not isinstance(call, ast.Call):
        return set()
    name = called(call)
    root = root_of(call.func) or ""
    if isinstance(call.func, ast.Name) and (name in functions or name in READING):
        return set()
    if root in SHOWING or name in HARMLESS:
        return set()
    found = {root} if isinstance(call.func, ast.Attribute) else set[str]()
    arguments = [*call.args, *(one.value for one in call.keywords)]
    return (found | {one.id for one in arguments if isinstance(one, ast.Name)}) - {""}


def changes_of(node: Function, functions: Mapping[str, FunctionChanges]) -> FunctionChanges:
    """What a call of this function changes, as far as its own lines and the functions above it show."""
    ordered = tuple(one.arg for one in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
    changed = changed_by(node.body, functions)
    declared = {name for part in ast.walk(node) if isinstance(part, ast.Global) for name in part.names}
    local = {
        one.id for part in node.body for one in ast.walk(part)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }  # fmt: skip
    # A parameter that is assigned again is a new value. Counting it as changed does no harm.
    return FunctionChanges(ordered, (changed - (local - parameters(node.args))) | declared)
