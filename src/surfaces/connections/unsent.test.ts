import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../test/postgres-store.ts";
import { type RawSocket, rawSocket } from "../../../test/raw-socket.ts";
import { openTiny, type TinyOptions } from "../../../test/tiny-network.ts";
import type { Connection } from "./connections.ts";
import { UNSENT, unsentOf } from "./unsent.ts";

const MIB = 1024 * 1024;
const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\nHost: tiny.test\r\n\r\n`;

interface Reader {
  readonly socket: RawSocket;
  /** The same connection as the service sees it. */
  readonly connection: Connection;
}

/** A service with a clock that stands still until the test moves it. */
async function opened(t: TestContext, unsent: TinyOptions["unsent"] = {}) {
  const clock = { now: 0 };
  const bounds = { holder_bytes: 256 * MIB, ...unsent };
  const tiny = await openTiny({ unsent: bounds, now_ms: () => clock.now });
  t.after(tiny.close);

  async function reader(): Promise<Reader> {
    const known = new Set(tiny.connections.values());
    const socket = await rawSocket(tiny.port);
    t.after(socket.destroy);
    await eventually(() => tiny.connections.size > known.size);
    const connection = tiny.connections.values().find((one) => !known.has(one));
    assert.ok(connection);
    return { socket, connection };
  }
  /** A client that has asked for a large answer and reads none of it. */
  async function unread(): Promise<Reader> {
    const one = await reader();
    one.socket.pause();
    one.socket.send(get("/large"));
    await eventually(() => one.connection.socket.writableLength > 0);
    return one;
  }
  /** The clients read some of theirs, and time passes. */
  async function move({ socket, connection }: Reader, passed_ms: number): Promise<void> {
    clock.now += passed_ms;
    await socket.read(4 * MIB);
    await eventually(() => {
      tiny.unsent.poll();
      return !connection.socket.writable || connection.block?.moved_ms === clock.now;
    });
  }
  const poll = (passed_ms: number) => {
    clock.now += passed_ms;
    tiny.unsent.poll();
  };
  return { tiny, clock, reader, unread, move, poll };
}

test("a client that does not read is closed after 30 s, and its bytes are free", async (t) => {
  const { tiny, unread, poll } = await opened(t);
  const { connection } = await unread();
  poll(0);
  assert.ok(tiny.unsent.bytes() > MIB);
  poll(UNSENT.stalled_ms - 1);
  assert.equal(connection.socket.destroyed, false);
  poll(1);
  assert.equal(connection.socket.destroyed, true);
  assert.deepEqual(tiny.closedSlow, [UNSENT.stalled_ms]);
  assert.equal(tiny.unsent.bytes(), 0);
});

test("one that reads a part of one large answer every 29 s is not", async (t) => {
  const { unread, move, poll } = await opened(t);
  const slow = await unread();
  poll(0);
  for (let n = 0; n < 3; n++) await move(slow, UNSENT.stalled_ms - 1_000);
  assert.equal(slow.connection.socket.destroyed, false);
});

test("but the whole must be out after 30 s and a second for each 8 KiB", async (t) => {
  const { unread, move, poll } = await opened(t, { slowest_bytesPerS: MIB });
  const dripping = await unread();
  poll(0);
  await move(dripping, UNSENT.stalled_ms - 1_000);
  assert.equal(dripping.connection.socket.destroyed, false);
  await move(dripping, UNSENT.stalled_ms - 1_000);
  assert.equal(dripping.connection.socket.destroyed, true);
});

test("the clock runs only while bytes are unsent", async (t) => {
  const { tiny, reader, poll } = await opened(t);
  const { socket } = await reader();
  socket.send(get("/fresh"));
  await socket.answers(1);
  poll(0);
  tiny.gate.shut();
  socket.send(get("/fresh"));
  poll(UNSENT.stalled_ms * 100);
  tiny.gate.open();
  assert.equal((await socket.answers(2)).length, 2);
});

test("a client with much unread gets small answers but no large one; others get all", async (t) => {
  const { tiny, unread, reader, poll } = await opened(t, { holder_bytes: MIB });
  const [first, same, other] = [await unread(), await reader(), await reader()];
  first.connection.holder = "one client";
  same.connection.holder = "one client";
  const { latest } = first.connection;
  assert.ok(latest);
  tiny.unsent.written(latest.req);
  same.socket.send(get("/large") + get("/fresh"));
  other.socket.send(get("/large"));
  const answers = (await same.socket.answers(2)).map(({ status }) => status);
  assert.deepEqual(answers, [503, 200]);
  assert.equal((await other.socket.answers(1))[0]?.status, 200);
  first.socket.destroy();
  await eventually(() => first.connection.socket.destroyed);
  poll(0);
  same.socket.send(get("/large"));
  assert.equal((await same.socket.answers(3))[2]?.status, 200);
});

test("when all together leave too much unread, only those with most are refused", async (t) => {
  const { tiny, unread, reader, poll } = await opened(t, { crowded_bytes: MIB });
  const [first, same, other] = [await unread(), await reader(), await reader()];
  await unread();
  first.connection.holder = "one client";
  same.connection.holder = "one client";
  poll(0);
  assert.ok(tiny.unsent.bytes() > MIB);
  same.socket.send(get("/large"));
  other.socket.send(get("/large"));
  assert.equal((await same.socket.answers(1))[0]?.status, 503);
  assert.equal((await other.socket.answers(1))[0]?.status, 200);
});

test("above the total the largest holders are closed first, then what has not moved for longest", async (t) => {
  const { tiny, clock, unread, poll } = await opened(t);
  const readers = [await unread(), await unread(), await unread(), await unread()] as const;
  const [early, late, moved, still] = readers;
  early.connection.holder = "one client";
  late.connection.holder = "one client";
  poll(3);
  // Nothing is awaited from here on, so no byte moves.
  for (const [moved_ms, { connection }] of [still, early, late, moved].entries()) {
    assert.ok(connection.block);
    connection.block = { ...connection.block, moved_ms };
  }
  const closeOne = () => {
    const open = readers.filter(({ connection }) => !connection.socket.destroyed);
    tiny.unsent.poll();
    const bytes = tiny.unsent.bytes() - 1;
    const bounds = { holder_bytes: bytes, total_bytes: bytes, crowded_bytes: bytes };
    unsentOf(tiny.connections, {
      bounds: { ...UNSENT, ...bounds },
      now_ms: () => clock.now,
      holderOf: ({ socket }) => socket,
      closed() {},
    }).poll();
    return open.filter(({ connection }) => connection.socket.destroyed);
  };
  assert.deepEqual(closeOne(), [early]);
  moved.connection.holder = "another client";
  still.connection.holder = "another client";
  assert.deepEqual(closeOne(), [still]);
});
