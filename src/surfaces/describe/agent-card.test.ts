import assert from "node:assert/strict";
import { AgentCard } from "@a2a-js/sdk";
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk/client";
import { fetchOf } from "../../../test/a2a-client.ts";
import { matchesGoldenJson } from "../../../test/golden.ts";
import { eachEngine } from "../../../test/service.ts";
import { agentCard } from "./agent-card.ts";

const BASE_URL = "http://127.0.0.1:8080";
/** Version 0.3.14 beside the current one. By a variable name, so that checking types needs no copy of it. */
const LEGACY_SDK = "a2a-js-sdk-0.3/client";
const PATHS = [
  "/.well-known/agent-card.json",
  "/.well-known/agent.json",
  "/api/v1/a2a/v0.3/agent-card.json",
];

eachEngine("one card is at all of its paths, for every version", async (service) => {
  const read = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(service.url + path, { method, headers });
  const current = await read(PATHS[0] ?? "");
  const text = await current.text();
  const card = JSON.parse(text);
  matchesGoldenJson("agent-card.json", card);
  assert.deepEqual(card, agentCard(BASE_URL));
  const head = ["content-type", "cache-control", "vary", "access-control-allow-origin"];
  assert.deepEqual(
    head.map((name) => current.headers.get(name)),
    ["application/json", "public, max-age=300", "Accept-Encoding", "*"],
  );
  const etag = current.headers.get("etag") ?? "";
  assert.match(etag, /^"[\w-]+"$/);
  for (const path of PATHS) {
    assert.equal((await read(path, { "if-none-match": etag })).status, 304, path);
    assert.equal((await read(path, {}, "HEAD")).headers.get("etag"), etag, path);
    for (const version of ["1.0", "0.3"])
      assert.equal(await (await read(path, { "a2a-version": version })).text(), text, path);
  }
  const { documents, outside_base } = (await service.get("")).body;
  assert.equal(documents.agent_card, PATHS[0]);
  assert.ok(outside_base.includes(PATHS[0]) && outside_base.includes(PATHS[1]));
});

eachEngine("the SDK reads the card, and finds where the bindings are", async (service) => {
  const { supportedInterfaces, capabilities } = AgentCard.fromJSON(agentCard(service.url));
  assert.deepEqual([capabilities?.streaming, capabilities?.pushNotifications], [true, false]);
  for (const { url, protocolBinding } of supportedInterfaces) {
    const path = protocolBinding === "JSONRPC" ? url : `${url}/tasks`;
    const { status } = await fetch(path, {
      method: protocolBinding === "JSONRPC" ? "POST" : "GET",
    });
    assert.equal(status, 401, "it is there, and wants a token");
  }
});

const legacyMessage = (messageId: string) => ({
  message: {
    kind: "message" as const,
    role: "user" as const,
    messageId,
    parts: [{ kind: "text" as const, text: "Do this." }],
  },
});

eachEngine("both generations of the SDK find the board by its base URL", async (service) => {
  const ada = await service.register("ada");
  const fetchImpl = fetchOf(service, ada);
  const cardUrl = `${service.url}${PATHS[0]}`;

  const legacySdk = await import(LEGACY_SDK);
  const first = await legacySdk.A2AClient.fromCardUrl(cardUrl, { fetchImpl });
  const reported = await first.sendMessage(legacyMessage("old-1"));
  assert.ok("result" in reported && reported.result.kind === "task", JSON.stringify(reported));

  const legacy = await new legacySdk.ClientFactory({
    transports: [new legacySdk.JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new legacySdk.DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(service.url);
  const sent = await legacy.sendMessage(legacyMessage("old-2"));
  assert.equal(sent.kind, "task");

  const current = await new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(service.url);
  const { supportedInterfaces } = await current.getAgentCard();
  assert.deepEqual(
    supportedInterfaces.map(({ protocolVersion }) => protocolVersion),
    ["1.0", "1.0", "0.3"],
  );
  assert.equal((await service.get("/requests")).body.count, 2);
});
