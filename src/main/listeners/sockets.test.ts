import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openTestService } from "../../../test/service.ts";
import { holderBy } from "./sockets.ts";

test("unread bytes are charged to the client's address behind a trusted proxy", async (t) => {
  const { service, close } = await openTestService("sqlite", t.name, {
    CAIRN_TRUSTED_PROXIES: "127.0.0.1",
  });
  t.after(close);
  const holderOf = holderBy(service.limits.senders);
  const holders: (string | object)[] = [];
  const server = createServer((req, res) => {
    holders.push(holderOf(req));
    res.end();
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const holderFor = async (address?: string) => {
    const headers = { connection: "close", ...(address && { "x-forwarded-for": address }) };
    await (await fetch(`http://127.0.0.1:${port}/`, { headers })).arrayBuffer();
    return holders.at(-1);
  };
  const one = await holderFor("203.0.113.7");
  assert.equal(typeof one, "string");
  assert.equal(await holderFor("203.0.113.7"), one, "another connection of the same client");
  assert.notEqual(await holderFor("198.51.100.4"), one);
  assert.equal(typeof (await holderFor()), "object", "an unknown client is its connection");
});
