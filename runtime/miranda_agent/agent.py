"""
The agent: ours, trusted, small. It starts the worker, passes on what the worker sends once that was checked, and
carries out the server's commands. It keeps running while the server is away, and ends after its worker.
"""

from __future__ import annotations

import os
import signal

from .sandbox import Sandbox
from .settings import read_settings
from .unsent import open_files
from .worker_process import Worker, close_for_children, start_worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .commands import Commands
    from .outbox import Outbox
    from .relay import Relay
    from .supervisor import Supervisor

NO_SERVER = "The agent found no server for too long and ended the session."
FAILED = "The session was ended: its agent failed. The agent's log says why."


def main(source: str | int) -> None:
    close_for_children()
    settings = read_settings(source)
    sandbox = Sandbox(settings)
    # Before the worker: node code must not have prepared these files.
    unsent = open_files(settings.get("unsent", ""))
    # The worker comes first: it starts while we import the rest.
    serve(settings, sandbox, start_worker(settings, sandbox), unsent)


def serve(settings: dict[str, str], sandbox: Sandbox, worker: Worker, unsent: list[int]) -> None:
    # Imported here and not above: the worker would start that much later.
    import threading

    from .commands import Commands
    from .measuring.metering import Metering
    from .outbox import Outbox
    from .processes import adopt_orphans, keep_private
    from .questions import Questions
    from .relay import Relay
    from .results.result_questions import ResultQuestions
    from .server_client import ServerClient, connect
    from .state_reports import StateReports
    from .supervisor import Supervisor
    from .unsent import Unsent

    outbox = Outbox(connect(settings, 30), settings["job"], float(settings["give_up_after"]), Unsent(unsent))
    sandbox.report_to(lambda words: outbox.add_log(2, words))
    server = ServerClient(settings, outbox)
    states = StateReports(outbox)
    metering = Metering(settings, outbox, sandbox.children)

    def new_relay(worker: Worker) -> Relay:
        return Relay(worker, outbox, states, questions, result_questions, supervisor.end_soon, metering.end_run)

    supervisor = Supervisor(settings, sandbox, outbox, states, metering, new_relay)
    commands = Commands(settings, sandbox, supervisor, server, outbox, states)
    questions = Questions(server.ask, commands.give_answer)
    results = ResultQuestions(settings)
    # Apart from the others: a secret must not wait for gigabytes.
    result_questions = Questions(results.ask, commands.give_answer)

    def on_terminate(*_: object) -> None:
        threading.Thread(target=supervisor.terminate, daemon=True).start()

    signal.signal(signal.SIGTERM, on_terminate)
    supervisor.adopt(worker)
    posting = threading.Thread(target=post, args=(outbox, supervisor), daemon=True)
    posting.start()
    threading.Thread(target=poll, args=(commands, supervisor), daemon=True).start()
    adopt_orphans()
    keep_private()
    threading.Thread(target=metering.watch_forever, args=(supervisor.end,), daemon=True).start()
    supervisor.run()
    posting.join()
    supervisor.tidy_up()
    results.tidy_up()


def post(outbox: Outbox, supervisor: Supervisor) -> None:
    from .http import Unreachable
    from .outbox import Ended

    try:
        outbox.post_forever()
    except Ended as error:
        supervisor.end("EXITED", str(error))
        os._exit(0)
    except Unreachable:
        supervisor.end("ERROR", NO_SERVER)
        os._exit(1)
    except Exception:
        print_exception()
        supervisor.end("ERROR", FAILED)
        os._exit(1)


def poll(commands: Commands, supervisor: Supervisor) -> None:
    from .http import Unreachable
    from .outbox import Ended

    try:
        commands.poll_forever()
    except Ended as error:
        supervisor.end("EXITED", str(error))
    except Unreachable:
        supervisor.end("ERROR", NO_SERVER)
    except Exception:
        # Without this thread no command would ever come: an end that is explained is better.
        print_exception()
        supervisor.end("ERROR", FAILED)


def print_exception() -> None:
    import traceback

    traceback.print_exc()
