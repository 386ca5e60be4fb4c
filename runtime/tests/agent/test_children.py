"""A process number is given again when its process is gone: whoever gets it is not the one that had it."""

from __future__ import annotations

import os
import signal
import time
import unittest

from miranda_agent.children import Child, Children
from miranda_agent.processes import Meter, Process, descendants, read, send

NEXT = "/proc/sys/kernel/ns_last_pid"


def sleeper(pid: int | None = None) -> int:
    """A process that sleeps; with this number, when the kernel lets us choose it."""
    for _ in range(200):
        if pid is not None:
            with open(NEXT, "w") as file:
                file.write(str(pid - 1))
        made = os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
        if pid is None or made == pid:
            return made
        os.kill(made, signal.SIGKILL)
        os.waitpid(made, 0)
    raise unittest.SkipTest("the number was given to another program")


def end(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def reaped(children: Children, child: Child) -> None:
    while ended := children.reap():
        if ended[0] == child.pid:
            return


def seen(pid: int) -> Process:
    found = read(pid)
    assert found is not None
    return found


class Helpers(unittest.TestCase):
    def setUp(self) -> None:
        self.children = Children()

    def test_a_helper_is_not_charged_until_it_ends(self) -> None:
        helper = self.children.start(sleeper, is_own=True)
        worker = self.children.start(sleeper)
        self.addCleanup(reaped, self.children, worker)
        self.addCleanup(self.children.kill, worker)
        meter = Meter(self.children.is_own)
        meter.sample()
        self.assertEqual([process.pid for process in meter.found], [worker.pid])
        self.children.kill(helper)
        pid, _, _, is_own = self.children.reap() or (0, 0, None, False)
        self.assertEqual((pid, is_own), (helper.pid, True))
        self.assertTrue(helper.has_ended)

    @unittest.skipUnless(os.access(NEXT, os.W_OK), "only root may choose the next process number")
    def test_whoever_gets_the_number_of_an_ended_helper_is_charged(self) -> None:
        helper = self.children.start(sleeper, is_own=True)
        self.children.kill(helper)
        reaped(self.children, helper)
        # A start time has hundredths of a second.
        time.sleep(0.05)
        self.addCleanup(end, sleeper(helper.pid))
        meter = Meter(self.children.is_own)
        meter.sample()
        self.assertIn(helper.pid, [process.pid for process in meter.found])

    @unittest.skipUnless(os.access(NEXT, os.W_OK), "only root may choose the next process number")
    def test_a_signal_for_an_ended_process_does_not_reach_the_next_one_with_its_number(self) -> None:
        child = self.children.start(sleeper)
        known = seen(child.pid)
        self.children.kill(child)
        reaped(self.children, child)
        time.sleep(0.05)
        pid = sleeper(child.pid)
        self.addCleanup(end, pid)
        send(known, signal.SIGSTOP)
        self.children.kill(child)
        self.children.kill(child, whole_group=True)
        time.sleep(0.05)
        self.assertEqual(seen(pid).state, b"S")
        send(seen(pid), signal.SIGSTOP)
        time.sleep(0.05)
        self.assertEqual(seen(pid).state, b"T")

    def test_says_when_there_is_nobody_to_wait_for(self) -> None:
        self.assertEqual(descendants(os.getpid()), [])
        self.assertIsNone(self.children.reap())
        self.assertIsNone(self.children.reap(waits=False))

    def test_takes_away_what_it_did_not_start(self) -> None:
        pid = os.posix_spawn("/bin/true", ["true"], {})
        ended = self.children.reap()
        self.assertEqual((ended or (0, 0, None, None))[0], pid)
