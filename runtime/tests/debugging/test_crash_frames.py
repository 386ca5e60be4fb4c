"""The variables that are kept with an exception."""

from __future__ import annotations

import json
import sys
import time
import types
import unittest
from collections.abc import Callable
from typing import Any

from miranda.debugging.crash_frames import MOST_BYTES, MOST_CRASHES, MOST_FRAMES, TOO_LARGE, CrashFrames
from miranda.debugging.masks import Masks


def raised(call: Callable[[], Any]) -> BaseException:
    try:
        call()
    except BaseException as error:
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        return error
    raise AssertionError("nothing was raised")


def kept(call: Callable[[], Any], masks: Masks | None = None, own: str = __file__) -> list[dict[str, Any]]:
    """The frames of what a function raises. This file stands for the code of node 7."""
    return CrashFrames(lambda: {own: 7}, masks or Masks()).of(raised(call))


class Frames(unittest.TestCase):
    def test_has_the_innermost_frame_first_with_the_variables_of_each(self) -> None:
        def inner(share: float) -> float:
            parts = [1, 2]
            return parts[int(share)]

        def outer() -> None:
            rows = {"tide": [3, 4]}
            inner(9.0 + len(rows))

        frames = kept(outer)
        self.assertEqual([frame["function"] for frame in frames], ["inner", "outer"])
        self.assertEqual([frame["node"] for frame in frames], [7, 7])
        self.assertEqual(frames[0]["locals"], {"share": 10.0, "parts": [1, 2]})
        self.assertEqual(frames[1]["locals"]["rows"], {"tide": [3, 4]})
        self.assertGreater(frames[0]["line"], 0)

    def test_a_frame_of_a_library_has_a_file_instead_of_a_node(self) -> None:
        frames = kept(lambda: json.loads("{"))
        self.assertEqual((frames[0]["node"], frames[-1]["node"]), (None, 7))
        self.assertIn("json/decoder.py", frames[0]["file"])

    def test_keeps_both_ends_of_a_deep_recursion(self) -> None:
        def down(depth: int) -> int:
            return down(depth - 1) if depth else 1 // depth

        frames = kept(lambda: down(300))
        self.assertEqual(len(frames), MOST_FRAMES)
        self.assertEqual(frames[0]["locals"]["depth"], 0)
        self.assertEqual(frames[-1]["function"], "<lambda>")
        self.assertEqual(frames[-2]["locals"]["depth"], 300)

    def test_ten_megabytes_of_variables_are_cut_and_say_so(self) -> None:
        def large() -> None:
            long = "x" * 10_000_000
            rows = [{"name": "y" * 1_000, "at": at} for at in range(10_000)]
            table = {f"key {at}": list(range(100)) for at in range(3_000)}
            raise ValueError(len(long) + len(rows) + len(table))

        frames = kept(large)
        self.assertLessEqual(len(json.dumps(frames)), MOST_BYTES)
        found = frames[0]["locals"]
        self.assertIn("(10000000 characters)", found["long"])
        self.assertEqual(found["rows"][-1], "… 9900 more")

    def test_library_frames_do_not_take_the_room_of_node_code(self) -> None:
        # A library whose innermost frame holds far more than there is room for.
        source = (
            "def fail(large):\n    copies = [large + str(at) for at in range(5000)]\n    raise KeyError(len(copies))\n"
        )
        library = types.ModuleType("library")
        exec(compile(source, "/lib/library.py", "exec"), vars(library))

        def call() -> None:
            wanted = "the value that explains it"
            vars(library)["fail"]("z" * 1_500 + wanted[:0])

        frames = kept(call)
        own = next(frame for frame in frames if frame["function"] == "call")
        self.assertEqual(own["locals"]["wanted"], "the value that explains it")
        self.assertEqual(frames[0]["function"], "fail")

    def test_texts_that_grow_in_json_still_fit(self) -> None:
        def large() -> None:
            values = ["\u6f6e" * 2_000 for _ in range(100)]
            raise ValueError(len(values))

        frames = kept(large)
        self.assertLessEqual(len(json.dumps(frames)), MOST_BYTES)
        self.assertNotEqual(frames[0]["locals"], TOO_LARGE)

    def test_only_the_first_exceptions_of_a_run_keep_variables(self) -> None:
        error = raised(lambda: 1 // 0)
        crashes = CrashFrames(lambda: {__file__: 7}, Masks())
        found = [len(crashes.of(error)) for _ in range(MOST_CRASHES + 3)]
        self.assertEqual(found[-3:], [0, 0, 0])
        self.assertEqual(found[0], 1)
        crashes.begin_run()
        self.assertEqual(len(crashes.of(error)), 1)

    def test_frames_of_the_exception_that_led_to_it_follow_with_its_class(self) -> None:
        def look_up(rows: dict[str, int], name: str) -> int:
            return rows[name]

        def load(*, is_from: bool, hides: bool = False) -> None:
            rows = {"tide": 3}
            try:
                look_up(rows, "level")
            except KeyError as error:
                if hides:
                    raise ValueError("no such row") from None
                if is_from:
                    raise ValueError("no such row") from error
                raise ValueError("no such row")  # noqa: B904 (what is tested)

        for is_from in (True, False):
            frames = kept(lambda is_from=is_from: load(is_from=is_from))
            self.assertEqual(
                [(frame["function"], frame["cause"]) for frame in frames],
                [("load", ""), ("<lambda>", ""), ("look_up", "KeyError")],
            )
            self.assertEqual(frames[2]["locals"], {"rows": {"tide": 3}, "name": "level"})
        self.assertEqual([frame["cause"] for frame in kept(lambda: load(is_from=True, hides=True))], ["", ""])

    def test_an_earlier_exception_of_the_same_function_is_named_with_its_line(self) -> None:
        def share(limit: dict[str, int]) -> int:
            try:
                return limit["lowest"]
            except KeyError as error:
                raise ValueError("no lower limit") from error

        frames = kept(lambda: share({"highest": 10}))
        self.assertEqual(
            [(frame["function"], frame["cause"]) for frame in frames],
            [("share", ""), ("<lambda>", ""), ("share", "KeyError")],
        )
        self.assertEqual(frames[0]["line"] - frames[2]["line"], 2)
        self.assertEqual(frames[2]["locals"]["limit"], {"highest": 10})

    def test_exceptions_that_lead_to_each_other_end(self) -> None:
        one, other = raised(lambda: 1 // 0), raised(lambda: {}["x"])
        one.__cause__, other.__cause__ = other, one
        frames = CrashFrames(lambda: {__file__: 7}, Masks()).of(one)
        self.assertEqual([frame["cause"] for frame in frames], ["", "KeyError"])

    def test_an_exception_without_a_traceback_has_no_frames(self) -> None:
        crashes = CrashFrames(lambda: {}, Masks())
        self.assertEqual(crashes.of(ValueError("x")), [])
        self.assertEqual(crashes.of(None), [])


class Raises:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __str__ = __repr__


class Exits:
    def __repr__(self) -> str:
        sys.exit(3)


class Hangs:
    def __repr__(self) -> str:
        time.sleep(60)
        return ""

    def __len__(self) -> int:
        time.sleep(60)
        return 1

    def __iter__(self) -> Any:
        time.sleep(60)
        return iter(())

    __eq__ = __hash__ = __bool__ = __getattribute__ = __repr__  # type: ignore[assignment]


class HostileKind(type):
    def __getattribute__(cls, name: str) -> Any:
        time.sleep(60)
        return super().__getattribute__(name)

    def __eq__(cls, other: object) -> bool:
        time.sleep(60)
        return True

    __hash__ = type.__hash__


class Hostile(Exception):
    def __repr__(self) -> str:
        sys.exit(4)

    __str__ = __repr__


class HostileObjects(unittest.TestCase):
    """Node code may define everything that looking at a value could call."""

    def check(self, value: Any) -> Any:
        def fail() -> None:
            held = value
            raise ValueError(id(held))

        began = time.monotonic()
        frames = kept(fail)
        self.assertLess(time.monotonic() - began, 20, "looking at a value called its code")
        self.assertEqual(frames[0]["function"], "fail")
        json.dumps(frames, allow_nan=False)
        return frames[0]["locals"]["held"]

    def test_never_calls_what_a_class_defines(self) -> None:
        self.assertEqual(self.check(Raises()), {"": "<tests.debugging.test_crash_frames.Raises>"})
        self.assertEqual(self.check(Exits()), {"": "<tests.debugging.test_crash_frames.Exits>"})
        self.assertEqual(self.check(Hangs()), {"": "<tests.debugging.test_crash_frames.Hangs>"})

    def test_never_calls_what_a_metaclass_defines(self) -> None:
        made = HostileKind("Made", (), {})
        self.assertEqual(self.check(object.__new__(made)), {"": "<tests.debugging.test_crash_frames.Made>"})
        self.assertEqual(self.check(made), "<class Made>")

    def test_never_calls_the_repr_of_what_python_itself_would_show(self) -> None:
        error = ValueError(Hangs())
        self.assertEqual(self.check(error)["args"], [{"": "<tests.debugging.test_crash_frames.Hangs>"}])
        views = {1: Hangs()}
        self.assertEqual(self.check(views.values())["items"], [{"": "<tests.debugging.test_crash_frames.Hangs>"}])
        self.assertEqual(self.check(types.MappingProxyType(views)), "<mappingproxy>")
        self.assertEqual(self.check(slice(Hangs())), "<slice>")

    def test_a_class_that_claims_to_be_of_a_known_library_is_not_believed(self) -> None:
        claimed = type("ndarray", (Hangs,), {"__module__": "numpy"})
        self.assertEqual(self.check(object.__new__(claimed)), {"": "<numpy.ndarray>"})

    def test_a_class_that_defines_its_own_dict_is_not_asked(self) -> None:
        def hang(_: Any) -> Any:
            time.sleep(60)

        made = type("Made", (), {"__dict__": property(hang), "__module__": "here"})
        self.assertEqual(self.check(made()), "<here.Made>")

    def test_texts_and_bytes_of_subclasses_are_read_as_what_they_are(self) -> None:
        class Text(str):
            __len__ = __getitem__ = __repr__ = __format__ = None  # type: ignore[assignment]

        class Raw(bytes):
            __len__ = __getitem__ = __repr__ = None  # type: ignore[assignment]

        self.assertEqual(self.check(Text("tide")), "tide")
        self.assertEqual(self.check(Raw(b"tide")), "<Raw of 4> b'tide'")

    def test_an_exception_that_cannot_be_shown_still_has_its_frames(self) -> None:
        def fail() -> None:
            rows = 3
            raise Hostile(rows)

        frames = kept(fail)
        self.assertEqual(frames[0]["locals"], {"rows": 3})

    def test_the_namespace_of_a_class_body_is_not_asked(self) -> None:
        class Space(dict[str, Any]):
            def __iter__(self) -> Any:
                time.sleep(60)
                return iter(())

            keys = items = values = __len__ = __iter__  # type: ignore[assignment]

        class Kind(type):
            @classmethod
            def __prepare__(cls, *_: Any, **__: Any) -> Any:
                return Space()

        def fail() -> None:
            class Body(metaclass=Kind):
                raise ValueError("in the body")

        began = time.monotonic()
        frames = kept(fail)
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(frames[0]["locals"], {})


class Secrets(unittest.TestCase):
    secret = "s3cr3t-ünd-tide'"

    def values(self, value: Any) -> str:
        masks = Masks()
        masks.add(self.secret)

        def fail() -> None:
            held = value
            raise ValueError(len(str(held)))

        return json.dumps(kept(fail, masks)[0]["locals"]["held"], ensure_ascii=False)

    def assertHidden(self, value: Any) -> None:
        shown = self.values(value)
        for part in (self.secret, self.secret[:8], "s3cr3t", "cr3t-"):
            self.assertNotIn(part, shown, value)

    def test_are_masked_in_texts_bytes_and_nested_values(self) -> None:
        self.assertHidden(self.secret)
        self.assertHidden({"headers": [{"token": f"Bearer {self.secret}"}]})
        self.assertHidden(self.secret.encode())
        self.assertHidden(bytearray(self.secret.encode()))

    def test_are_masked_where_a_text_is_cut_in_their_middle(self) -> None:
        self.assertHidden("x" * 1_995 + self.secret)
        self.assertHidden(b"x" * 36 + self.secret.encode())

    def test_are_masked_in_other_forms(self) -> None:
        import base64
        from urllib.parse import quote

        for form in (
            repr(self.secret),
            quote(self.secret),
            base64.b64encode(self.secret.encode()).decode(),
            self.secret.encode().hex(),
        ):
            shown = self.values(f"before {form} after")
            self.assertNotIn(form.strip("'\"=")[:12], shown, form)


if __name__ == "__main__":
    unittest.main()
