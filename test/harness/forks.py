"""
Python programs for tests, each in a fork of this process, which has imported what they import: most of the work of a short one.
Serves the Unix socket of its first argument until its standard input ends. A connection sends the program as a line of JSON and
gets what it prints; then come a NUL, its exit code, and what it printed on standard error. Who hangs up has it killed.
"""

import json
import os
import runpy
import select
import signal
import socket
import sys
import tempfile
from typing import NoReturn

import payment_gateway  # noqa: F401


def run(program: dict, output: int, complaints: int) -> NoReturn:
    os.dup2(output, 1)
    os.dup2(complaints, 2)
    sys.argv = program["args"]
    os.environ.clear()
    os.environ.update(program["env"])
    code = 0
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def attend(connection: socket.socket) -> None:
    program = json.loads(connection.makefile("r", encoding="utf-8").readline())
    lives, held = os.pipe()
    with tempfile.TemporaryFile() as complaints:
        child = os.fork()
        if child == 0:
            os.set_inheritable(held, True)
            run(program, connection.fileno(), complaints.fileno())
        os.close(held)
        # The pipe ends with the program, and the connection where nobody wants it any more.
        ended, _, _ = select.select([lives, connection], [], [])
        if lives not in ended:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        complaints.seek(0)
        end = {"code": os.waitstatus_to_exitcode(status), "complaints": complaints.read().decode()}
    try:
        connection.sendall(b"\0" + json.dumps(end).encode() + b"\n")
    except OSError:
        pass


def main(path: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    print("ready", flush=True)
    attending: list[int] = []
    while True:
        called, _, _ = select.select([listener, 0], [], [])
        attending = [pid for pid in attending if os.waitpid(pid, os.WNOHANG) == (0, 0)]
        if 0 in called:
            break
        connection, _ = listener.accept()
        pid = os.fork()
        if pid == 0:
            listener.close()
            attend(connection)
            os._exit(0)
        connection.close()
        attending.append(pid)
    for pid in attending:
        os.waitpid(pid, 0)


main(sys.argv[1])
