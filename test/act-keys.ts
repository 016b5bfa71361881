import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import type { Reply, TestAgent } from "./service.ts";

/** The pair of an act key: the public key in hex, and what it signs, in base64. */
export interface Pair {
  readonly pubkey: string;
  readonly sign: (text: string) => string;
}

export function newPair(): Pair {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const pubkey = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
  return { pubkey, sign: (text) => sign(null, Buffer.from(text), privateKey).toString("base64") };
}

/** A value that a refusal carries. */
export const detail = ({ body }: Pick<Reply, "body">, field: string): string =>
  body.details?.find((each: { field: string }) => each.field === field)?.problem;

/** What a refusal asks to sign, and with which numbers. */
export function toSign(refused: Pick<Reply, "status" | "body">) {
  assert.deepEqual([refused.status, refused.body.error], [422, "act_unsigned"]);
  const [act, not_after] = [detail(refused, "act"), detail(refused, "not_after")].map(Number);
  assert.ok(act && not_after, JSON.stringify(refused.body));
  return { text: detail(refused, "to_sign"), act, not_after };
}

/** A write and its signature, as its refusal asks for it. */
export async function signedBody(agent: TestAgent, key: Pair, path: string, body: object) {
  const { text, act, not_after } = toSign(await agent.post(path, body));
  return { ...body, act, not_after, act_signature: key.sign(text) };
}

/** Sends a write unsigned, and again with the signature. */
export const signed = async (agent: TestAgent, key: Pair, path: string, body: object) =>
  agent.post(path, await signedBody(agent, key, path, body));

interface Introduced {
  readonly old?: Pair;
  readonly recover_s?: number;
}

/** Gives an agent a key, or another one. */
export async function setKey(
  agent: TestAgent,
  key: Pair,
  { old, recover_s = 0 }: Introduced = {},
): Promise<Reply> {
  const wanted = { pubkey: key.pubkey, recover_s };
  const { text, act, not_after } = toSign(await agent.post("/key", wanted));
  const signatures = { signature: key.sign(text), ...(old && { signature_old: old.sign(text) }) };
  return agent.post("/key", { ...wanted, act, not_after, ...signatures });
}
