import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { eventually } from "../../../test/postgres-store.ts";
import { sendEvents } from "./events.ts";

const MESSAGES = 2_000;
const TEXT = "x".repeat(16_384);

test("messages wait for a reader who is slow, and end with one who leaves", async (t) => {
  let produced = 0;
  let isOver = false;
  async function* messages() {
    for (; produced < MESSAGES; produced++) yield { TEXT };
  }
  const answers = {
    headers: () => [],
    open: ({ res }: { res: ServerResponse }) => res.writeHead(200),
    draining: () => false,
    heardOf: assert.fail,
  };
  const slots = { now_ms: () => 0, watch: () => () => {} };
  const server = createServer(async (_, res) => {
    // Of an exchange, of the answers and of the slots it uses what is here.
    await sendEvents({ res } as never, messages(), { answers, slots } as never);
    isOver = true;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const address = server.address();
  assert(typeof address === "object" && address !== null);
  const socket = connect(address.port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  socket.pause();
  let before = -1;
  await eventually(async () => {
    const isStill = produced === before && produced > 0;
    before = produced;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return isStill;
  });
  assert(produced < MESSAGES, `${produced} messages wait in memory`);
  socket.destroy();
  await eventually(() => isOver);
  assert(produced < MESSAGES);
});
