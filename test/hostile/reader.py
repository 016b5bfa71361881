# A program of the Python client: for each line, a base URL, it makes a call, reads a list and follows the changes, and
# prints how that ended. cairn.py lies beside it.
import sys

import cairn
from cairn import Cairn, CairnError

if sys.argv[1:] == ["hurried"]:  # Pauses before another attempt take no time.
    cairn.time.sleep = lambda _: None

ITEMS_MAX = 5000


def ending(action):
    try:
        action()
        return "ok"
    except CairnError as error:
        assert len(str(error)) < 2000000
        return ascii(error.code)[1:-1]
    except BaseException as error:
        return "UNCAUGHT %s: %s" % (type(error).__name__, error)


def some(items):
    for n, _ in enumerate(items):
        if n == ITEMS_MAX:
            raise AssertionError("no end")


def quit(*_):
    raise CairnError("outage", "It would be tried again.")


for line in sys.stdin:
    network = Cairn(line.strip(), timeout=1)
    print(
        ending(lambda: network.call("POST", "/post", {"body": "A trial.", "dry_run": 1})),
        ending(lambda: some(network.iterate(network.feed_list, limit=1))),
        ending(lambda: next(network.follow(0, on_retry=quit, epoch=1, on_epoch=lambda _: None))),
        sep="|",
        flush=True,
    )
