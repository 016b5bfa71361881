import assert from "node:assert/strict";
import { AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { createRemoteJWKSet, decodeProtectedHeader, flattenedVerify } from "jose";
import { eachEngine, type TestService, urlOf } from "../../../test/service.ts";
import { publicServer } from "../../main/listeners/listeners.ts";
import type { Service } from "../../main/service/open-service.ts";
import { canonicalJson } from "../../platform/kernel/canonical.ts";

const BASE_URL = "http://127.0.0.1:8080";
const JWKS = "/.well-known/jwks.json";
const PATH = "/.well-known/agent-card.json";

async function signs({ shared }: TestService): Promise<void> {
  await shared.jobs.find(({ name }) => name === "agent_card")?.run();
}

const read = async (url: string, path: string) =>
  JSON.parse(await (await fetch(url + path)).text());

/** What a reader does that knows JOSE and RFC 8785, and nothing of this service. */
async function verified(url: string, { signatures: [first], ...card }: { signatures: Signed[] }) {
  assert(first !== undefined);
  const keys = createRemoteJWKSet(new URL(url + JWKS));
  const payload = Buffer.from(canonicalJson(card)).toString("base64url");
  return flattenedVerify({ ...first, payload }, keys);
}

interface Signed {
  readonly protected: string;
  readonly signature: string;
}

eachEngine("the card is signed, and foreign libraries verify that", async (service) => {
  const { url } = service;
  assert.equal("signatures" in (await read(url, PATH)), false, "nobody has signed it yet");
  await signs(service);
  const card = await read(url, PATH);
  const { public_key } = (await service.get("/verify")).body;
  assert.deepEqual(decodeProtectedHeader(card.signatures[0]), {
    alg: "EdDSA",
    typ: "JOSE",
    kid: public_key,
    jku: BASE_URL + JWKS,
  });
  await verified(url, card);
  for (const edited of [
    { ...card, name: `${card.name}!` },
    { ...card, url: `${card.url}/x` },
    { ...card, more: 1 },
  ])
    await assert.rejects(verified(url, edited), /signature verification failed/);

  const [key] = (await read(url, JWKS)).keys;
  assert.deepEqual([key.kid, key.kty, key.crv], [public_key, "OKP", "Ed25519"]);
  assert.equal((await fetch(url + JWKS)).headers.get("content-type"), "application/jwk-set+json");
  const bySdk = verifyAgentCardSignature(async (kid) => {
    assert.equal(kid, public_key);
    return key;
  });
  await bySdk(AgentCard.fromJSON(card));
  await assert.rejects(bySdk(AgentCard.fromJSON({ ...card, description: "Another." })));

  await signs(service);
  assert.deepEqual(await read(url, PATH), card, "a signature stays as long as it fits");
  assert.deepEqual(await read(url, "/.well-known/agent.json"), card);
});

/** Another node over the same storage. */
async function atNode(service: TestService, around: object, see: (url: string) => Promise<void>) {
  const node: Service = { ...service.service, signer: null, ...around };
  const server = publicServer(node, service.configuration, {
    now_ms: () => 0,
    answered: () => {},
    failed: (_, cause) => assert.fail(String(cause)),
  });
  const url = urlOf(await server.listen(0, "127.0.0.1"));
  try {
    await see(url);
  } finally {
    await server.close();
  }
}

eachEngine("a node without the key serves the signature as long as it fits", async (service) => {
  await signs(service);
  const card = await read(service.url, PATH);
  await atNode(service, {}, async (url) => {
    assert.deepEqual(await read(url, PATH), card);
    await verified(url, await read(url, PATH));
  });
  const { context } = service.service;
  const settings = { ...context.settings, baseUrl: "https://other.example" };
  await atNode(service, { context: { ...context, settings } }, async (url) => {
    const other = await read(url, PATH);
    assert.equal(other.url, "https://other.example/api/v1/a2a");
    assert.equal("signatures" in other, false, "it is another card");
  });
});
