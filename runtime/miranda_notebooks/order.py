"""What cells share without a name: files and random numbers. The order of these cells has to stay."""

from __future__ import annotations

import ast

from .names import called, root_of, words

WRITES = words("""
    to_csv to_excel to_feather to_json to_parquet to_pickle to_sql write_text write_bytes write_csv write_parquet
    savefig urlretrieve makedirs mkdir extractall copyfile copytree rename unlink rmtree touch save save_model dump
    chdir
    """)
READS = words("""
    open exists glob iglob iterdir listdir load load_model read_csv read_excel read_feather read_json read_parquet
    read_pickle read_sql read_text read_bytes scan_csv scan_parquet walk imread getcwd stat
    """)
SEEDS = frozenset({"seed", "set_seed", "manual_seed", "seed_everything"})
DRAWS = frozenset({"random", "secrets"})


def shares(tree: ast.Module) -> dict[str, bool]:
    """What the cell shares with others, and whether it changes it."""
    found: dict[str, bool] = {}
    for part in ast.walk(tree):
        if isinstance(part, ast.Call):
            name = called(part)
            if name in WRITES or (name == "open" and writes(part)):
                found["files"] = True
            elif name in READS:
                found.setdefault("files", False)
            if name in SEEDS:
                found["random"] = True
        if isinstance(part, ast.Attribute) and (part.attr == "random" or root_of(part) in DRAWS):
            found.setdefault("random", False)
    return found


def writes(call: ast.Call) -> bool:
    """`open(path, "w")`, and `path.open("w")`"""
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "mode")]
    modes = [one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return any(0 < len(mode) <= 3 and set(mode) & set("wax+") and set(mode) <= set("rwaxbt+") for mode in modes)


def kept_order(all_shares: list[dict[str, bool]]) -> list[dict[str, bool]]:
    """What each cell shares, from the first cell that changes it. Each random number changes the next ones."""
    changed: set[str] = set()
    kept: list[dict[str, bool]] = []
    for own in all_shares:
        changed |= {what for what, changes in own.items() if changes}
        kept.append({what: changes or what == "random" for what, changes in own.items() if what in changed})
    return kept
