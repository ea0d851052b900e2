"""Commands as processes of their own that need not start from nothing, which takes a second or two each time.

``python forked.py DESCRIPTOR`` imports what commands need, has kernels loaded, and reads requests from a socket, one
JSON line each. For each it forks a child, which becomes the command: it has the streams, the folder and the variables
that the request says, and ends as every Python process does. The answer is its exit code. If the request says
``alone``, it does runs itself instead of starting workers, which takes a second or two each.
"""

import gc
import json
import os
import socket
import sys


def prepare():
    """What commands import and load; no game stays in memory, and no thread is started that a child would miss."""
    import typer._adapters  # noqa: F401  (typer itself imports it as late as it can)

    import gamebench as gb
    import gamebench.cli.main
    import gamebench.cli.run_commands

    gb.solve("Kuhn-A", "CFR", 1)
    gb.solve("Kuhn", "CMD", 12)
    gc.collect()
    gc.freeze()  # else each child would look through all of it, and copy it thereby


def wait_for_a_request(channel):
    """Returns in children only, with what is wanted of them; ends when nobody can ask any more."""
    lines = channel.makefile("r")
    while line := lines.readline():
        child = os.fork()
        if not child:
            return json.loads(line)
        _, status = os.waitpid(child, 0)
        channel.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def become(request):
    """From now on it is as if the process had been started so."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = os.open(request[name], os.O_RDWR)
        os.dup2(stream, number)
        os.close(stream)
    for number, name in ((1, "stdout"), (2, "stderr")):  # the ones made at the start know nothing of a terminal
        old = getattr(sys, name)
        buffering = 1 if name == "stderr" else -1
        setattr(sys, name, open(number, "w", buffering, old.encoding, old.errors, closefd=False))  # noqa: SIM115  (for ever)
    os.environ.clear()
    os.environ.update(request["variables"])
    os.chdir(request["folder"])
    sys.argv = request["command"]
    if request["alone"]:
        from gamebench.experiments.executors import LocalExecutor, SerialExecutor

        LocalExecutor.execute = SerialExecutor.execute


if __name__ == "__main__":
    prepare()
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        wanted = wait_for_a_request(channel)
    become(wanted)
    sys.path[0] = os.path.dirname(sys.argv[0])  # noqa: PTH120  (as the script's first entry is)
    from gamebench.cli.entry import main

    sys.exit(main())
