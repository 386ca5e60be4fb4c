"""
How a container starts the agent: `python3 -I -S` and this folder. The agent's settings come in the environment, and
/proc shows what a process was started with; so it starts itself again without it.
"""

import os
import sys


def main() -> None:
    settings = os.environ.pop("MIRANDA_AGENT", None)
    if settings is None:
        from miranda_agent.agent import main as serve

        serve(int(sys.argv[1]))
        return
    here = os.path.dirname(os.path.abspath(__file__))
    reader, writer = os.pipe()
    os.write(writer, f"{settings}contained=1\npython={sys.executable}\nruntime={here}\n".encode())
    os.close(writer)
    os.set_inheritable(reader, True)
    os.execve(sys.executable, [sys.executable, "-I", "-S", here, str(reader)], os.environ)


main()
