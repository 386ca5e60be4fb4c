"""
Which nodes are so small that nothing has to be looked after: they compute with what they are given and send it. What
is not known to be harmless is not.
"""

from __future__ import annotations

import types
from collections.abc import Iterator

MODULES = frozenset({"miranda", "__future__"})
#: Not `show`, which draws, nor `storage` and the like, which give objects that do anything.
IMPORTED = frozenset(
    {
        *("Node", "Field", "Constant", "Receiver", "Transmitter", "log", "log_metric", "progress"),
        *("Text", "Number", "Slider", "Select", "Toggle", "Json", "Code", "File", "Secret", "annotations"),
    }
)
#: None of them iterates: a value may draw random numbers when it is iterated over.
BUILTINS = frozenset(
    {
        *("len", "int", "float", "str", "bool", "abs", "round", "print", "isinstance", "range", "repr", "ord", "chr"),
        *("divmod", "pow", "callable", "None", "True", "False", "list", "dict", "object", "super"),
        *("Exception", "ValueError", "TypeError", "RuntimeError", "KeyError", "AssertionError"),
        *("__name__", "__module__", "__qualname__", "__annotations__", "__doc__"),
    }
)
METHODS = frozenset({"send", "append", "strip", "lower", "upper", "startswith", "endswith", "get", "items", "keys"})
LOGGING = frozenset({"log", "debug", "info", "warning", "error"})
ANYWHERE = frozenset(
    {
        *("CACHE", "NOP", "RESUME", "NOT_TAKEN", "EXTENDED_ARG", "COPY_FREE_VARS", "MAKE_CELL", "PRECALL", "KW_NAMES"),
        *("LOAD_CONST", "LOAD_SMALL_INT", "RETURN_VALUE", "RETURN_CONST", "POP_TOP", "COPY", "SWAP", "CALL", "CALL_KW"),
        *("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW", "STORE_FAST", "DELETE_FAST"),
        *("LOAD_FAST_BORROW_LOAD_FAST_BORROW", "STORE_FAST_LOAD_FAST", "STORE_FAST_STORE_FAST", "LOAD_NAME"),
        *("LOAD_GLOBAL", "LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "BINARY_OP", "COMPARE_OP", "IS_OP", "TO_BOOL"),
        *("UNARY_NEGATIVE", "UNARY_NOT", "UNARY_INVERT", "BUILD_TUPLE", "BUILD_LIST", "BUILD_MAP", "BUILD_STRING"),
        *("BUILD_CONST_KEY_MAP", "FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"),
        *("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "RAISE_VARARGS", "JUMP_IF_FALSE_OR_POP"),
        *("JUMP_IF_TRUE_OR_POP", "LOAD_ASSERTION_ERROR"),
    }
)
#: Where no value of another node can be.
OUTSIDE = frozenset(
    {
        *("PUSH_NULL", "LIST_EXTEND", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE", "LOAD_BUILD_CLASS", "IMPORT_NAME"),
        *("IMPORT_FROM", "STORE_NAME", "SETUP_ANNOTATIONS", "STORE_SUBSCR", "LOAD_LOCALS", "LOAD_CLOSURE"),
        *("IMPORT_STAR", "LOAD_CLASSDEREF", "LOAD_DEREF", "STORE_DEREF"),
    }
)
#: How Python 3.12 and later import all names of a module.
STAR = 2
#: Flags of code: a function's own variables; generators and coroutines of any kind.
FUNCTION, WAITING = 0x2, 0x20 | 0x80 | 0x200


def is_inert(code: types.CodeType) -> bool:
    """Whether a node's module can not touch the state of the process, judged by all its code."""
    codes = list(nested(code))
    inside = [one for one in codes if one.co_flags & FUNCTION]
    outside = [one for one in codes if not one.co_flags & FUNCTION]
    functions = {one.co_name for one in inside}
    try:
        steps = {id(one): list(instructions(one)) for one in codes}
    except (KeyError, IndexError, ValueError):
        return False
    # What the module and its class define.
    defined = {name for one in outside for step, name in steps[id(one)] if step == "STORE_NAME"}
    imported = {name for one in outside for step, name in steps[id(one)] if step == "IMPORT_FROM"}
    if not imported <= IMPORTED:
        return False
    kept = {name for one in inside for step, name in steps[id(one)] if step == "STORE_ATTR"}
    if any(step == "IMPORT_STAR" for one in outside for step, _ in steps[id(one)]):
        # All of `miranda`: what else is imported is looked at below.
        imported |= IMPORTED
    globals_ = BUILTINS | defined | imported
    attributes = defined | kept | LOGGING
    methods = METHODS | LOGGING | functions
    for one in codes:
        if one.co_flags & WAITING or one.co_exceptiontable:
            return False
        is_function = bool(one.co_flags & FUNCTION)
        known = ANYWHERE if is_function else ANYWHERE | OUTSIDE
        sets = any(step == "STORE_ATTR" for step, _ in steps[id(one)])
        for step, name in steps[id(one)]:
            if step not in known and not step.startswith("POP_JUMP_"):
                return False
            if step in ("LOAD_NAME", "LOAD_GLOBAL"):
                if name not in globals_:
                    return False
                if is_function and sets and name in imported:
                    # It may be a class of ours that is changed.
                    return False
            elif step == "LOAD_METHOD":
                if name not in methods:
                    return False
            elif step in ("LOAD_ATTR", "STORE_ATTR"):
                if name not in attributes or not is_function or name.startswith("__"):
                    return False
            elif step == "IMPORT_NAME" and name not in MODULES:
                return False
    return True


def nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from nested(constant)


def instructions(code: types.CodeType) -> Iterator[tuple[str, str]]:
    """Each instruction and the name that it uses, if any. Python's own `dis` takes a hundred times as long."""
    from opcode import hasname, opname

    named, names = set(hasname), code.co_names
    bytecode, extended = code.co_code, 0
    # From 3.12 on one instruction loads an attribute, and a bit says whether it is called.
    has_method = "LOAD_METHOD" in opname and opname.index("LOAD_METHOD") < 256
    for at in range(0, len(bytecode), 2):
        operation, argument = bytecode[at], bytecode[at + 1] | extended
        step, name = opname[operation], ""
        extended = argument << 8 if step == "EXTENDED_ARG" else 0
        if step == "CALL_INTRINSIC_1" and argument == STAR:
            step = "IMPORT_STAR"
        if operation in named:
            index = argument
            if step == "LOAD_GLOBAL":
                index = argument >> 1
            elif step == "LOAD_ATTR" and not has_method:
                step, index = "LOAD_METHOD" if argument & 1 else step, argument >> 1
            name = names[index]
        yield step, name
