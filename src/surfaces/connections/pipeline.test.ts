import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../../test/postgres-store.ts";
import { rawSocket } from "../../../test/raw-socket.ts";
import { openTiny, type TinyOptions } from "../../../test/tiny-network.ts";

const fresh = "GET /api/v1/fresh HTTP/1.1\r\nHost: tiny.test\r\n\r\n";

/** A service whose handlers wait, and three connections to it. */
async function opened(pipeline: TinyOptions["pipeline"] = {}) {
  const tiny = await openTiny({ pipeline });
  tiny.gate.shut();
  const [a, b, c] = [
    await rawSocket(tiny.port),
    await rawSocket(tiny.port),
    await rawSocket(tiny.port),
  ];
  const held = () => [...tiny.connections.values()].reduce((sum, one) => sum + one.held.length, 0);
  return { tiny, a, b, c, held };
}

test("of pipelined requests one is worked on, and each after the answer before it", async (t) => {
  const { tiny, a, held } = await opened();
  t.after(tiny.close);
  a.send(fresh.repeat(4));
  await eventually(() => held() === 3 && tiny.calls.length > 0);
  assert.deepEqual(tiny.calls, ["fresh"]);
  tiny.gate.open();
  assert.equal((await a.answers(4)).length, 4);
});

test("a connection holds so many requests; one more closes it, and nobody else's", async (t) => {
  const { tiny, a, b, held } = await opened({ connection: 4 });
  t.after(tiny.close);
  b.send(fresh.repeat(5));
  a.send(fresh.repeat(5));
  await eventually(() => held() === 8);
  a.send(fresh);
  assert.deepEqual(await a.end(), []);
  assert.equal(held(), 4);
  tiny.gate.open();
  assert.equal((await b.answers(5)).length, 5);
  assert.equal(tiny.calls.length, 6);
});

test("the process holds so many requests; one more closes the connection with most", async (t) => {
  const { tiny, a, b, c, held } = await opened({ process: 10 });
  t.after(tiny.close);
  a.send(fresh.repeat(7));
  b.send(fresh.repeat(5));
  await eventually(() => held() === 10);
  c.send(fresh.repeat(2));
  assert.deepEqual(await a.end(), []);
  // What the closed one held is held no longer.
  c.send(fresh.repeat(5));
  await eventually(() => held() === 10);
  tiny.gate.open();
  assert.deepEqual(
    [(await b.answers(5)).length, (await c.answers(7)).length, b.isOpen(), c.isOpen()],
    [5, 7, true, true],
  );
});
