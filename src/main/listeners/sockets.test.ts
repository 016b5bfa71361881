import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../../test/postgres-store.ts";
import { rawSocket } from "../../../test/raw-socket.ts";
import { openTestService } from "../../../test/service.ts";

/** Connections that one client opens, and the large answers that each asks for and never reads. */
const UNREAD = { connections: 24, answers: 16 };

const requestFrom = (address: string) =>
  `GET /api/v1/feed?limit=100 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: ${address}\r\n\r\n`;

test("unread bytes are charged to the client's address behind a trusted proxy", async (t) => {
  const service = await openTestService("sqlite", t.name, { CAIRN_TRUSTED_PROXIES: "127.0.0.1" });
  t.after(() => service.close());
  const ada = await service.register("ada");
  for (let i = 0; i < 100; i++) await ada.post("/post", { body: "x".repeat(8_000) });
  const open = async () => {
    const socket = await rawSocket(Number(new URL(service.url).port));
    t.after(socket.destroy);
    return socket;
  };
  const [same, other] = [await open(), await open()];
  const asks = async (socket: typeof same, address: string) => {
    const before = (await socket.answers(0)).length;
    socket.send(requestFrom(address));
    return (await socket.answers(before + 1)).at(-1);
  };
  for (let i = 0; i < UNREAD.connections; i++) {
    const socket = await open();
    socket.pause();
    socket.send(requestFrom("203.0.113.7").repeat(UNREAD.answers));
  }
  await eventually(async () => (await asks(same, "203.0.113.7"))?.status === 503);
  assert.equal((await asks(other, "198.51.100.4"))?.status, 200);
});
