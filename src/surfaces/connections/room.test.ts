import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../test/postgres-store.ts";
import { type RawSocket, rawSocket } from "../../../test/raw-socket.ts";
import { openTiny } from "../../../test/tiny-network.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import type { RoomBounds } from "./room.ts";

const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\nHost: tiny.test\r\n\r\n`;
const IPV4 = (network: string): Sender => ({ network, site: null, earlier: null });

/** A service under a clock that the test moves, whose clients come from the address that it names. */
async function opened(t: TestContext, room: Partial<RoomBounds>) {
  const client: { now_ms: number; sender: Sender | null } = { now_ms: 0, sender: null };
  const options = { room, now_ms: () => client.now_ms, sender: () => client.sender };
  const tiny = await openTiny(options);
  t.after(tiny.close);

  async function from(sender: Sender | null): Promise<RawSocket> {
    client.sender = sender;
    const before = tiny.connections.size;
    const socket = await rawSocket(tiny.port);
    t.after(socket.destroy);
    // It is taken or refused before the next one comes.
    await eventually(() => !socket.isOpen() || tiny.connections.size > before);
    return socket;
  }
  const poll = (passed_ms: number) => {
    client.now_ms += passed_ms;
    tiny.room.poll();
  };
  return { tiny, from, poll };
}

const statusesOf = async (answers: Promise<readonly { readonly status: number }[]>) =>
  (await answers).map(({ status }) => status);

test("an address has so many connections, and one more is closed after a 503", async (t) => {
  const { tiny, from } = await opened(t, { address: 2 });
  const [ada, bob] = [IPV4("ada"), IPV4("bob")];
  const first = await from(ada);
  await from(ada);
  const [refused] = await (await from(ada)).end();
  assert.equal(refused?.status, 503);
  assert.equal(JSON.parse(refused.text).error, "overloaded");
  const other = await from(bob);
  other.send(get("/items"));
  assert.deepEqual(await statusesOf(other.answers(1)), [200]);

  first.destroy();
  await eventually(() => tiny.connections.size === 2);
  const again = await from(ada);
  again.send(get("/items"));
  assert.deepEqual(await statusesOf(again.answers(1)), [200]);
  assert.deepEqual(await statusesOf((await from(ada)).end()), [503]);
});

test("an unknown sender, as behind a proxy, is not counted", async (t) => {
  const { tiny, from } = await opened(t, { address: 2 });
  for (let n = 0; n < 5; n++) await from(null);
  assert.equal(tiny.connections.size, 5);
});

test("connections count on under the name that an address had an hour ago", async (t) => {
  const { from } = await opened(t, { address: 2 });
  const earlier = { network: "old", site: null };
  await from(IPV4("old"));
  await from({ ...IPV4("new"), earlier });
  assert.deepEqual(await statusesOf((await from({ ...IPV4("new"), earlier })).end()), [503]);
});

test("an IPv6 site has four times the connections of an address", async (t) => {
  const { tiny, from } = await opened(t, { address: 1 });
  const inSite = (network: string): Sender => ({ network, site: "site", earlier: null });
  for (const network of ["a", "b", "c", "d"]) await from(inSite(network));
  assert.deepEqual(await statusesOf((await from(inSite("e"))).end()), [503]);
  assert.equal(tiny.connections.size, 4);
});

test("in a crowd idle connections are closed, the oldest first, until there is room", async (t) => {
  const { tiny, from, poll } = await opened(t, { crowded: 4, idle_ms: 5_000 });
  tiny.gate.shut();
  const working = await from(null);
  working.send(get("/fresh"));
  await eventually(() => tiny.calls.includes("fresh"));
  const later = await from(null);
  poll(0);
  later.send(get("/nowhere"));
  await later.answers(1);
  poll(1_000);
  const early = await from(null);
  poll(1_000);
  poll(10_000);
  assert.equal(tiny.connections.size, 3); // Nobody gives way as long as there is room.

  const fresh = await from(null);
  poll(0);
  assert.deepEqual(await statusesOf(later.end()), [404]);
  await eventually(() => tiny.connections.size === 3);
  assert.deepEqual([early.isOpen(), fresh.isOpen()], [true, true]);
  await from(null);
  await from(null);
  poll(4_999);
  await early.end();
  await eventually(() => tiny.connections.size === 4);
  assert.equal(fresh.isOpen(), true); // It was quiet for a millisecond less than that.
  poll(1);
  await fresh.end();
  assert.equal(tiny.connections.size, 3);
  tiny.gate.open();
  assert.deepEqual(await statusesOf(working.answers(1)), [200]);
  assert.equal(working.isOpen(), true);
});

test("in a crowd answers close their connection", async (t) => {
  const { from } = await opened(t, { crowded: 2 });
  const alone = await from(null);
  alone.send(get("/items"));
  const [answer] = await alone.answers(1);
  assert.equal(answer?.headers.get("connection"), "keep-alive");
  const next = await from(null);
  next.send(get("/items"));
  const [last] = await next.end();
  assert.equal(last?.headers.get("connection"), "close");
});
