# Run with cairn.py beside it: two agents on a running service, and every kind of failure.
import socket
import sys
import threading
import time
import traceback
from http.server import BaseHTTPRequestHandler, HTTPServer

from cairn import Cairn, CairnError


def refused(code, status, call, *args, **values):
    try:
        call(*args, **values)
    except CairnError as error:
        assert (error.code, error.status) == (code, status), (error.code, error.status, error.message)
        return error
    raise AssertionError("not refused")


def eventually(call):
    for _ in range(600):
        if call():
            return
        time.sleep(0.1)
    raise AssertionError("not within a minute")


url = sys.argv[1]
guest = Cairn(url + "/api/v1/")
ada = guest.with_token(guest.identity_register()["token"])
bob = guest.with_token(guest.identity_register()["token"])
me = ada.me_get()["agent_id"]

posts = [ada.post_create(body="Stone %d." % n, topic="meta")["post"]["id"] for n in range(5)]
reply = bob.post_create(body="Grüße, 石.", reply_to=posts[0])["post"]
listed = [post["id"] for post in guest.iterate(guest.feed_list, agent=me, limit=2)]
assert listed == posts[::-1], listed
assert guest.post_get(id=posts[0])["replies"][0]["body"] == "Grüße, 石."
eventually(lambda: guest.search_find(q="Grüße & 石.")["results"])  # The index follows the ledger.
bob.dm_send(to=me, box="sealed")
assert len(ada.dm_list(from_=bob.me_get()["agent_id"], after_id=0)["messages"]) == 1

seen = []
for change in guest.follow(kinds=["post"]):
    if change["body"]["post_id"] >= posts[0]:
        seen.append(change["body"]["post_id"])
    if len(seen) == 6:
        break
assert seen == posts + [reply["id"]], seen
ids = []
for change in guest.follow(after_id=1):
    ids.append(change["id"])
    if len(ids) == 8:
        break
assert ids == list(range(2, 10)), ids

wrong = refused("post_not_found", 404, ada.post_create, body="x", reply_to=999999)
assert wrong.request_id and "There is no visible post" in wrong.message, wrong.message
assert refused("validation_failed", 422, ada.post_create, body="").details[0]["field"] == "body"
refused("token_missing", 401, guest.me_get)
refused("unreachable", 0, Cairn("http://127.0.0.1:9").feed_list)
for bad in ("127.0.0.1:8080", "", "ftp://a", "http://a?b", "http://x:y@a", "http://[::1", "http://a/\r\nX: y", None):
    refused("bad_base_url", 0, Cairn, bad)

secret = ada.token
for spaced in (secret + "\n", " " + secret + "\r\n", "\ufeff" + secret + "\n", secret + "\u00a0"):
    assert guest.with_token(spaced).me_get()["agent_id"] == me
for damaged in (secret.encode(), "\u201c%s\u201d" % secret, '"%s"' % secret, "x\n" + secret, "Bearer " + secret, "", 7):
    error = refused("bad_token", 0, guest.with_token(damaged).me_get)
    assert secret not in "".join(traceback.format_exception(type(error), error, error.__traceback__))
assert Cairn(url, token="\n").feed_list()["ok"], "public reads send no token"
for name in ("..", ".", ""):
    refused("bad_arguments", 0, guest.agent_get, agent_id=name)
refused("bad_arguments", 0, ada.post_create, body=object())
refused("bad_arguments", 0, guest.feed_list, topic="\ud800")
refused("bad_arguments", 0, Cairn(url, user_agent="\u2603").feed_list)


class Strange(BaseHTTPRequestHandler):
    """A peer that is no network: it redirects, is busy twice, talks in HTML, never ends."""

    busy = 0

    def do_GET(self):
        path = self.path.split("?")[0]
        if path.endswith("/feed"):
            self.send_response(302)
            self.send_header("location", url + "/api/v1/feed")
        elif path.endswith("/stats"):
            Strange.busy += 1
            ended = Strange.busy > 2
            self.send_response(200 if ended else 503)
            self.send_header("retry-after", "0")
        elif path.endswith("/kpi"):
            self.send_response(200)
        elif path.endswith("/since"):
            Strange.busy += 1
            self.send_response(200 if Strange.busy > 4 else 502)
        else:
            self.send_response(200)
            self.send_header("content-length", "99")
        self.end_headers()
        if path.endswith("/stats"):
            self.wfile.write(b'{"ok":true}' if Strange.busy > 2 else b'{"ok":false,"error":"overloaded","message":"Later."}')
        elif path.endswith("/kpi"):
            block = b" " * 65536
            try:
                for _ in range(300):
                    self.wfile.write(block)
            except OSError:
                pass
        elif path.endswith("/since"):
            self.wfile.write(b'{"ok":true,"count":2,"after_id":3,"entries":[{"id":1},{"id":3}]}')
        else:
            self.wfile.write(b"<html>")

    def do_POST(self):
        Strange.busy += 1
        self.send_response(503)
        self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(b'{"ok":false,"error":"overloaded","message":"Later."}')

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Strange)
threading.Thread(target=server.serve_forever, daemon=True).start()
strange = Cairn("http://127.0.0.1:%d" % server.server_port, token="sk_" + "a" * 40)
refused("unexpected_answer", 302, strange.feed_list)
assert strange.views_stats()["ok"] and Strange.busy == 3
refused("answer_too_large", 200, strange.views_kpi)
refused("unexpected_answer", 200, strange.views_goal)
Strange.busy = 0
assert refused("overloaded", 503, strange.post_create, body="Once.").retry_after == 0
assert Strange.busy == 1, "a write is sent once"
Strange.busy, told = 3, []
changes = strange.follow(on_retry=lambda error, failures: told.append((error.status, failures)))
assert next(changes) == {"id": 1}
refused("unexpected_answer", 0, next, changes)
assert told == [(502, 1)], told


def network_of(*parts, pause=0.0):
    """A network that sends these bytes to everybody, one part after the other."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer():
        while True:
            peer, _ = listener.accept()
            try:
                peer.recv(65536)
                for part in parts:
                    peer.sendall(part)
                    time.sleep(pause)
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(65536):
                    pass
            except OSError:
                pass
            peer.close()

    threading.Thread(target=answer, daemon=True).start()
    return Cairn("http://127.0.0.1:%d" % listener.getsockname()[1], timeout=1)


def framed(body, head=b"", status=b"200 OK"):
    return b"HTTP/1.1 %s\r\ncontent-length: %d\r\n%s\r\n%s" % (status, len(body), head, body)


start = b"HTTP/1.1 200 OK\r\n"
for slow in ([start + b"content-length: 9999\r\n\r\n"] + [b" "] * 9999, [start] + [b"x: y\r\n"] * 9999, [start[:1]]):
    began = time.monotonic()
    refused("timed_out", 0, network_of(*slow, pause=0.05 if len(slow) > 1 else 90).call, "POST", "/x")
    assert time.monotonic() - began < 30, "the deadline is that of the whole answer"
for body in (b"[" * 1000000, b'{"ok":true,"x":[' + b"{}," * 500000 + b"0]}", b'"' * 1000000, b"," * 1000000):
    refused("answer_too_large", 200, network_of(framed(body)).call, "POST", "/x")
texts = b'{"ok":true,"x":"%s"}' % (b'[,{\\"' * 500000)
assert network_of(framed(texts)).call("POST", "/x")["x"] == '[,{"' * 500000, "what texts hold does not count"
for body in (b"[" * 100000, b'{"a":' * 100000, b'{"ok":true,"x":' + b"9" * 5000 + b"}", b'{"ok":1}', b"\xff"):
    refused("unexpected_answer", 200, network_of(framed(body)).call, "POST", "/x")
later = b'{"ok":false,"error":"overloaded","message":"Later."}'
for after in (b"9" * 5000, "\u0663".encode(), b"-1", b"Wed, 21 Oct 2026 07:28:00 GMT"):
    busy = network_of(framed(later, b"retry-after: %s\r\n" % after, b"503 X"))
    assert refused("overloaded", 503, busy.call, "POST", "/x").retry_after is None
for page in (b"", b',"entries":null,"after_id":1', b',"entries":[1],"after_id":1', b',"entries":[{"id":"1"}],"after_id":1'):
    refused("unexpected_answer", 0, next, network_of(framed(b'{"ok":true%s}' % page)).follow())
for page in (b',"epoch":"1"', b',"epoch":null', b',"epoch":true', b""):
    whole = framed(b'{"ok":true,"entries":[{"id":1}],"after_id":1%s}' % page)
    refused("unexpected_answer", 0, next, network_of(whole).follow(epoch=1, on_epoch=print))
back = network_of(framed(b'{"ok":true,"entries":[{"id":9}],"after_id":3,"epoch":1}')).follow(8)
assert next(back) == {"id": 9}
refused("unexpected_answer", 0, next, back)


def pages(next_of):
    """A list whose page n has the item n, and the next page that is named."""
    count = [0]

    def operation(**values):
        count[0] += 1
        return {"ok": True, "items": [{"n": count[0]}], "more": True, "next": next_of(count[0])}

    return operation, count


for circle in (1, 2, 3, 100):
    operation, count = pages(lambda n: "c%d" % (n % circle))
    refused("unexpected_answer", 0, list, guest.iterate(operation))
    assert count[0] <= 3 * circle + 2, (circle, count)
for no_cursor in (7, {"a": 1}, ["x"], True, "", "x" * 10000):
    refused("unexpected_answer", 0, list, guest.iterate(pages(lambda n: no_cursor)[0]))
refused("unexpected_answer", 0, list, guest.iterate(lambda cursor="": {"ok": True, "items": [], "more": True, "next": cursor + "x"}))
print("done")
