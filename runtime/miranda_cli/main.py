"""The command line of `miranda`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from miranda.version import VERSION

from .completion import script
from .failures import FAILED, USAGE, Failure
from .folder import TOML, Folder, find_folders
from .printer import Printer, complain
from .server import Server

EPILOG = """\
first steps: miranda login <address>, then miranda pull <address of a workflow>
exit codes: 0 good, 1 failed or conflicts, 2 wrong usage, 3 the server cannot be reached or refuses
In CI set MIRANDA_URL and MIRANDA_TOKEN instead of logging in."""
FOLDER = "a workflow or a whole project (default: this folder)"


def build_parser() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """The parser, and that of each command."""
    parsers: dict[str, argparse.ArgumentParser] = {}
    parser = argparse.ArgumentParser(
        prog="miranda",
        description="Keeps workflows as files, and runs them.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"miranda {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def add(name: str, words: str, has_server: bool = True) -> argparse.ArgumentParser:
        one = parsers[name] = commands.add_parser(name, help=words, description=words)
        one.add_argument("--json", action="store_true", help="print JSON for programs")
        if has_server:
            one.add_argument("--server", metavar="URL", help="use this server instead of the last login")
        return one

    login = add("login", "Log in to a server.", has_server=False)
    login.add_argument("url", help="the address of the server")
    login.add_argument("--username", help="make a token with this account and its password")
    login.add_argument("--with-token", action="store_true", help="read an access token from the standard input")

    pull = add("pull", "Fetch a workflow, or a whole project, into a folder.")
    pull.add_argument("workflow", nargs="?", help="the id or the address of a workflow, or of a version of it")
    pull.add_argument("folder", nargs="?", type=Path, help="where to put it (default: a new folder with its name)")
    pull.add_argument("--project", metavar="PROJECT", help="fetch every workflow of this project (id or address)")
    pull.add_argument("--force", action="store_true", help="give up changes in the folder")

    push = add("push", "Merge a folder into its workflow.")
    push.add_argument("folder", nargs="?", type=Path, default=Path(), help=FOLDER)
    sides = push.add_mutually_exclusive_group()
    sides.add_argument("--mine", action="store_const", dest="winner", const="mine", help="this folder wins conflicts")
    sides.add_argument(
        "--theirs", action="store_const", dest="winner", const="theirs", help="the server wins conflicts"
    )
    push.add_argument("--new-in", metavar="PROJECT", help="make a new workflow in this project (id or address)")

    diff = add("diff", "Show what differs between a folder and its workflow.")
    diff.add_argument("folder", nargs="?", type=Path, default=Path(), help=FOLDER)
    diff.add_argument("--exit-code", action="store_true", help="exit with 1 when something differs")

    run = add("run", "Run a workflow on this machine, or on the server.")
    run.add_argument("folder", nargs="?", default=".", help="a folder; with --remote also the id or address")
    run.add_argument("--remote", action="store_true", help="run it on the server")
    run.add_argument("--keep", action="store_true", help="with --remote: do not stop the processor afterwards")
    run.add_argument("--outputs", type=Path, default=Path("outputs"), metavar="FOLDER", help="where outputs are saved")

    logs = add("logs", "Print the log of a workflow's processor.")
    logs.add_argument("workflow", nargs="?", default=".", help="a folder, or the id or address of a workflow")
    logs.add_argument("-f", "--follow", action="store_true", help="go on until the processor ends")
    logs.add_argument("-n", "--lines", type=int, default=1_000, help="how many of the last lines to begin with")

    runs = add("runs", "List the runs of your workflows.")
    runs.add_argument("workflow", nargs="?", help="a folder, or the id or address of a workflow")

    add("models", "List trained models.")

    completion = add("completion", "Print what a shell needs to complete this command.", has_server=False)
    completion.add_argument("shell", choices=["bash", "zsh"])
    return parser, parsers


def main(given: list[str] | None = None) -> None:
    arguments = sys.argv[1:] if given is None else given
    parser = build_parser()[0]
    if not arguments:
        # Somebody who types the bare name wants to know what it can do.
        parser.print_help(sys.stderr)
        sys.exit(USAGE)
    options = parser.parse_args(arguments)
    try:
        code = perform(options, Printer(options.json))
    except Failure as failure:
        if options.json:
            print(json.dumps({"error": str(failure), "reason": failure.reason}), flush=True)
        complain(str(failure))
        code = failure.code
    except KeyboardInterrupt:
        complain("Interrupted.")
        code = FAILED
    except BrokenPipeError:
        # `miranda logs | head` is no mistake. Python would complain once more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILED
    sys.exit(code)


def perform(options: argparse.Namespace, printer: Printer) -> int:
    # Each command imports what it needs. Every new shell runs `completion`, so that one must be quick.
    match options.command:
        case "login":
            from .login import log_in

            return log_in(options.url, options.username, options.with_token, printer)
        case "completion":
            printer.write(script(options.shell, described()).rstrip("\n"))
            return 0
        case "pull":
            return do_pull(options, printer)
        case "push":
            return do_push(options, printer)
        case "diff":
            return do_diff(options, printer)
        case "run":
            return do_run(options, printer)
        case _:
            return do_look(options, printer)


def described() -> dict[str, tuple[str, list[str]]]:
    """The help and the options of every command, for shells."""
    found: dict[str, tuple[str, list[str]]] = {}
    for name, one in build_parser()[1].items():
        options = [option for action in one._actions for option in action.option_strings if option.startswith("--")]
        found[name] = (str(one.description), options)
    return found


def do_pull(options: argparse.Namespace, printer: Printer) -> int:
    from .transfer import connect, find_id, find_version, pull, pull_project

    if options.project:
        if options.folder:
            raise Failure("With --project there is one folder for all workflows.", USAGE)
        project, address = find_id(options.project, options.server, "project")
        folder = Path(options.workflow) if options.workflow else None
        printer.result(pull_project(connect(address), project, folder, options.force, printer))
        return 0
    given, folder = options.workflow, options.folder
    if given is None or (folder is None and (Path(given) / TOML).is_file()):
        # Without a workflow, or with a folder: fetch what is new for the folders that are here.
        found = find_folders(Path(given or "."))
        server = connect(options.server)
        from .transfer import id_of

        pulled = [pull(server, id_of(one), one.path, options.force, printer) for one in found]
        printer.result(pulled[0] if len(pulled) == 1 else pulled)
        return 0
    workflow, address = find_id(given, options.server, "workflow")
    printer.result(pull(connect(address), workflow, folder, options.force, printer, find_version(given)))
    return 0


def do_push(options: argparse.Namespace, printer: Printer) -> int:
    from .transfer import connect, find_id, push, push_new

    folders = find_folders(options.folder)
    if options.new_in:
        project, address = find_id(options.new_in, options.server, "project")
        server = connect(address)
        done = [push_new(server, folder, project, printer) for folder in folders]
    else:
        server = connect(options.server)
        done = [push(server, folder, options.winner, printer) for folder in folders]
    printer.result(done[0] if len(done) == 1 else done)
    return FAILED if any(one["conflicts"] for one in done) else 0


def do_diff(options: argparse.Namespace, printer: Printer) -> int:
    from .transfer import connect, diff

    folders = find_folders(options.folder)
    server = connect(options.server)
    found = [diff(server, folder, printer) for folder in folders]
    printer.result(found[0][0] if len(found) == 1 else [one for one, _ in found])
    return FAILED if options.exit_code and any(differs for _, differs in found) else 0


def do_run(options: argparse.Namespace, printer: Printer) -> int:
    if options.remote:
        from .remote import run_remote

        server, workflow = find_workflow(options.folder, options.server)
        return run_remote(server, workflow, options.keep, printer)
    from .local_run import run_here

    return run_here(Folder(Path(options.folder)), options.outputs, printer)


def do_look(options: argparse.Namespace, printer: Printer) -> int:
    from .remote import list_models, list_runs, print_log
    from .transfer import connect

    if options.command == "models":
        return list_models(connect(options.server), printer)
    if options.command == "runs" and options.workflow is None:
        return list_runs(connect(options.server), None, printer)
    server, workflow = find_workflow(options.workflow, options.server)
    if options.command == "runs":
        return list_runs(server, workflow, printer)
    return print_log(server, workflow, options.follow, max(0, options.lines), printer)


def find_workflow(given: str, address: str | None) -> tuple[Server, str]:
    """The workflow of a folder, or of an id or address."""
    from .transfer import connect, find_id, id_of

    if Path(given).is_dir():
        return connect(address), id_of(Folder(Path(given)))
    workflow, found = find_id(given, address, "workflow")
    return connect(found), workflow
