"""The points of metrics, on their way to the agent."""

from __future__ import annotations

import unittest
from time import monotonic
from typing import Any

import miranda
from miranda import services
from miranda.output.metrics import MOST_LINES, MOST_POINTS, THIN_AFTER, Metrics
from miranda_agent.protocol import check_message


class Sent:
    """Metrics whose messages are kept and checked as the agent checks them."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.warnings: list[str] = []
        self.metrics = Metrics(self.send, self.warnings.append)
        self.metrics.begin(3)

    def send(self, message: dict[str, Any]) -> None:
        self.messages.append(check_message({**message, "points": [list(point) for point in message["points"]]}))

    def points(self) -> list[list[Any]]:
        self.metrics.send_waiting(is_end=True)
        return [point[:3] for message in self.messages for point in message["points"]]


class Lines(unittest.TestCase):
    def test_counts_steps_by_itself_and_goes_on_after_a_given_one(self) -> None:
        sent = Sent()
        for step in (None, None, 10, None):
            sent.metrics.add(7, "loss", 0.5, step)
        sent.metrics.add(7, "other", 1.0, None)
        self.assertEqual([point[1] for point in sent.points()], [0, 1, 10, 11, 0])
        self.assertEqual((sent.messages[0]["node"], sent.messages[0]["run"]), (7, 3))

    def test_keeps_the_lines_of_nodes_apart(self) -> None:
        sent = Sent()
        sent.metrics.add(1, "loss", 1.0, None)
        sent.metrics.add(2, "loss", 2.0, None)
        self.assertEqual(sent.points(), [["loss", 0, 1.0], ["loss", 0, 2.0]])
        self.assertEqual([message["node"] for message in sent.messages], [1, 2])

    def test_makes_gaps_of_values_that_are_not_finite_and_says_so_once(self) -> None:
        sent = Sent()
        for value in (1.0, float("nan"), float("inf"), -float("inf"), 1e308, 2.0):
            sent.metrics.add(7, "loss", value, None)
        self.assertEqual([point[2] for point in sent.points()], [1.0, None, None, None, None, 2.0])
        self.assertEqual(sent.warnings, ["The metric loss is nan at step 1: its line has a gap there."])

    def test_thins_out_a_million_points_and_keeps_the_first_and_the_last(self) -> None:
        sent = Sent()
        for at in range(1_000_000):
            sent.metrics.add(7, "loss", at, None)
        points = sent.points()
        self.assertLess(len(points), 10 * THIN_AFTER)
        self.assertGreater(len(points), THIN_AFTER)
        self.assertEqual((points[0][2], points[-1][2]), (0, 999_999))
        self.assertTrue(all(len(message["points"]) <= MOST_POINTS for message in sent.messages))
        self.assertEqual(
            sent.warnings, ["The metric loss has more than 10,000 points: from here on it is thinned out."]
        )

    def test_keeps_no_more_lines_than_a_run_may_have(self) -> None:
        sent = Sent()
        for at in range(MOST_LINES + 50):
            sent.metrics.add(7, f"metric {at}", 1.0, None)
        self.assertEqual(len(sent.points()), MOST_LINES)
        self.assertEqual(sent.warnings, ["This run has 300 metrics: further ones are not kept."])

    def test_a_new_run_begins_anew(self) -> None:
        sent = Sent()
        sent.metrics.add(7, "loss", 1.0, None)
        sent.metrics.begin(4)
        sent.metrics.add(7, "loss", 2.0, None)
        self.assertEqual(sent.points(), [["loss", 0, 2.0]])
        self.assertEqual(sent.messages[0]["run"], 4)

    def test_sends_a_few_times_a_second(self) -> None:
        sent = Sent()
        sent.metrics.add(7, "loss", 1.0, None)
        sent.metrics.send_waiting(is_end=False)
        # As if it had just been sent, however slow this machine is.
        sent.metrics.sent_at = monotonic() + 60
        sent.metrics.add(7, "loss", 2.0, None)
        sent.metrics.send_waiting(is_end=False)
        self.assertEqual(len(sent.messages), 1)
        sent.metrics.send_waiting(is_end=True)
        self.assertEqual(len(sent.messages), 2)


class Scalar:
    """Like a value of numpy or torch: no number, but `float` makes one of it."""

    def __float__(self) -> float:
        return 0.25


class Hosted:
    def __init__(self) -> None:
        self.logged: list[tuple[str, float, float | None]] = []

    def log_metric(self, name: str, value: float, step: float | None) -> None:
        self.logged.append((name, value, step))


class Sdk(unittest.TestCase):
    def setUp(self) -> None:
        self.host = Hosted()
        before = services.host
        services.set_host(self.host)  # type: ignore[arg-type]
        self.addCleanup(services.set_host, before)

    def test_takes_numbers_and_what_float_makes_one_of(self) -> None:
        miranda.log_metric("loss", 3)
        miranda.log_metric(" loss ", Scalar(), 4)
        miranda.log_metric("loss", True, step=Scalar())  # type: ignore[arg-type]
        self.assertEqual(self.host.logged, [("loss", 3.0, None), ("loss", 0.25, 4.0), ("loss", 1.0, 0.25)])

    def test_a_number_too_large_for_a_float_is_infinite(self) -> None:
        miranda.log_metric("loss", 10**400)
        self.assertEqual(self.host.logged[0][1], float("inf"))

    def test_refuses_what_is_no_number_and_says_what_it_is(self) -> None:
        for value, words in (
            ("0.5", "is a text"),
            (b"1", "is a text"),
            (None, "no number but a NoneType"),
            ([1], "but a list"),
            (1j, "but a complex"),
        ):
            with self.assertRaisesRegex(TypeError, f"The value of the metric 'loss' .*{words}"):
                miranda.log_metric("loss", value)
        self.assertEqual(self.host.logged, [])

    def test_refuses_bad_names_and_steps(self) -> None:
        for name in ("", "  ", "x" * 201, 3):
            with self.assertRaisesRegex(ValueError, "1 to 200 characters"):
                miranda.log_metric(name, 1)  # type: ignore[arg-type]
        for step in (float("nan"), float("inf"), 1e30):
            with self.assertRaisesRegex(ValueError, "not finite, or too large"):
                miranda.log_metric("loss", 1, step)
        with self.assertRaisesRegex(TypeError, "The step of the metric 'loss' is a text"):
            miranda.log_metric("loss", 1, "3")  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
