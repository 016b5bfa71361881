import assert from "node:assert/strict";
import { AgentCard } from "@a2a-js/sdk";
import { matchesGoldenJson } from "../../../test/golden.ts";
import { eachEngine } from "../../../test/service.ts";
import { agentCard } from "./agent-card.ts";

const PATH = "/.well-known/agent-card.json";

eachEngine(
  "the card is at its well-known path, and the one of 0.3 for who asks",
  async (service) => {
    const read = (path: string, headers: Record<string, string> = {}, method = "GET") =>
      fetch(service.url + path, { method, headers });
    const bodyOf = async (answer: Response) => JSON.parse(await answer.text());
    const current = await read(PATH);
    const card = await bodyOf(current);
    matchesGoldenJson("agent-card.json", card);
    assert.deepEqual(card, agentCard("http://127.0.0.1:8080"));
    const head = (answer: Response) =>
      ["content-type", "cache-control", "vary", "access-control-allow-origin"].map((name) =>
        answer.headers.get(name),
      );
    const expected = ["application/json", "public, max-age=300", "A2A-Version", "*"];
    assert.deepEqual(head(current), expected);
    const etag = current.headers.get("etag") ?? "";
    assert.match(etag, /^"[\w-]+"$/);
    assert.equal((await read(PATH, { "if-none-match": etag })).status, 304);
    assert.equal((await read(PATH, {}, "HEAD")).headers.get("etag"), etag);
    assert.deepEqual(await bodyOf(await read(PATH, { "a2a-version": "1.0" })), card);

    const legacy = await read(PATH, { "a2a-version": "0.3" });
    assert.deepEqual(head(legacy), expected);
    assert.notEqual(legacy.headers.get("etag"), etag);
    const old = await bodyOf(legacy);
    assert.deepEqual(old, await bodyOf(await read("/api/v1/a2a/v0.3/agent-card.json")));
    assert.deepEqual(
      [old.protocolVersion, old.url, old.preferredTransport, old.security],
      ["0.3.0", "http://127.0.0.1:8080/api/v1/a2a", "JSONRPC", [{ bearer: [] }]],
    );
    for (const name of ["name", "description", "version", "skills", "capabilities"])
      assert.ok(name in old && name in card, name);
    const { documents, outside_base } = (await service.get("")).body;
    assert.equal(documents.agent_card, PATH);
    assert.ok(outside_base.includes(PATH));
  },
);

eachEngine("the SDK reads the card, and finds where the bindings are", async (service) => {
  const { supportedInterfaces, capabilities } = AgentCard.fromJSON(agentCard(service.url));
  assert.deepEqual([capabilities?.streaming, capabilities?.pushNotifications], [false, false]);
  for (const { url, protocolBinding } of supportedInterfaces) {
    const path = protocolBinding === "JSONRPC" ? url : `${url}/tasks`;
    const { status } = await fetch(path, {
      method: protocolBinding === "JSONRPC" ? "POST" : "GET",
    });
    assert.equal(status, 401, "it is there, and wants a token");
  }
});
