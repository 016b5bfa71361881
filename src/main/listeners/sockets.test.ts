import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../../test/postgres-store.ts";
import { rawSocket } from "../../../test/raw-socket.ts";
import { openTestService } from "../../../test/service.ts";

/** Connections that one client opens, and the large answers that each asks for and never reads. */
const UNREAD = { connections: 24, answers: 16 };

test("unread bytes are charged to the client's address behind a trusted proxy", async (t) => {
  const service = await openTestService("sqlite", t.name, {
    CAIRN_TRUSTED_PROXIES: "127.0.0.1",
    CAIRN_RATE_LIMIT_PER_MINUTE: "0",
  });
  t.after(() => service.close());
  const ada = await service.register("ada");
  for (let i = 0; i < 100; i++) await ada.post("/post", { body: "x".repeat(8_000) });
  const path = "/api/v1/feed?limit=100";
  const asks = async (address: string) => {
    const answer = await fetch(service.url + path, { headers: { "x-forwarded-for": address } });
    await answer.body?.cancel();
    return answer.status;
  };
  const unread = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 203.0.113.7\r\n\r\n`;
  for (let i = 0; i < UNREAD.connections; i++) {
    const socket = await rawSocket(Number(new URL(service.url).port));
    t.after(socket.destroy);
    socket.pause();
    socket.send(unread.repeat(UNREAD.answers));
  }
  await eventually(async () => (await asks("203.0.113.7")) === 503);
  assert.equal(await asks("198.51.100.4"), 200);
});
