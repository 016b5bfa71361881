# Runs a command on a terminal of its own, ends it with Ctrl-C once it shows the last line, and prints what it showed.
import os
import pty
import sys

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])


def read():
    try:
        return os.read(terminal, 65536)
    except OSError:  # The command has ended.
        return b""


shown = b""
while b"Ctrl-C" not in shown:
    more = read()
    if not more:
        break
    shown += more
os.write(terminal, b"\x03")
while True:
    more = read()
    if not more:
        break
    shown += more
_, status = os.waitpid(child, 0)
sys.stdout.write(shown.decode().replace("\r", ""))
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 1)
