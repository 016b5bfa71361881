import { ed25519 } from "@noble/curves/ed25519.js";
import { type Fault, honest, type Sent } from "../src/platform/chain/dev/node.ts";

/** The answer with members replaced, wherever they stand. */
const edited =
  (edit: (member: string, value: unknown) => unknown): Fault =>
  (action, answer, request) =>
    honest(action, JSON.parse(JSON.stringify(answer), edit), request);

const onText = (member: string, edit: (text: string) => unknown): Fault =>
  edited((name, value) => (name === member && typeof value === "string" ? edit(value) : value));

const sent = (status: number, body: string, sends: Sent["sends"] = "whole"): Fault => {
  const whole = { status, body, sends };
  return () => whole;
};

/** `fault` for these actions, the honest answer for all others. */
export const only =
  (actions: readonly string[], fault: Fault): Fault =>
  (action, answer, request) =>
    (actions.includes(action) ? fault : honest)(action, answer, request);

/** Every block but this one is unknown, as on a node that has forgotten old blocks. */
export const forgetsAllBut =
  (hash: string): Fault =>
  (action, answer, request) => {
    const isForgotten = action === "blocks_info" && !request.includes(hash);
    const missing = {
      blocks: "",
      blocks_not_found: [...request.matchAll(/[0-9A-F]{64}/g)].map(String),
    };
    return honest(action, isForgotten ? missing : answer, request);
  };

/** Shows another block's contents under every hash. */
export const swaps = (contents: object): Fault =>
  edited((member, value) => (member === "contents" ? contents : value));

const otherDigit = (text: string): string => (text.startsWith("1") ? "2" : "1") + text.slice(1);

/** The same signature with the group's order added to S: the network takes both. */
function shifted(signature: string): string {
  const r = signature.slice(0, 64);
  const s = BigInt(`0x${Uint8Array.fromHex(signature.slice(64)).toReversed().toHex()}`);
  const bytes = (s + ed25519.Point.Fn.ORDER).toString(16).padStart(64, "0");
  return r + Uint8Array.fromHex(bytes).toReversed().toHex().toUpperCase();
}

const BODY_BYTES = 2 * 1024 * 1024;

/** What a node or a proxy may do wrong, by name. */
export const FAULTS = {
  silence: sent(200, "", "nothing"),
  halfABody: sent(200, `{"blocks":${" ".repeat(1_000)}}`, "half"),
  hugeBody: sent(200, JSON.stringify({ blocks: " ".repeat(BODY_BYTES) })),
  noJson: sent(200, "<html>It works!</html>"),
  brokenProxy: sent(500, "Internal Server Error"),
  throttled: sent(429, "Too many requests"),
  blocked: sent(401, "Unauthorized"),
  moved: sent(302, ""),
  nodeError: sent(200, '{"error":"Internal server error in RPC"}'),
  notAllowed: (action) => sent(500, `{"error":"Action ${action} not allowed"}`)("", {}, ""),
  unknownCommand: sent(200, '{"error":"Unknown command"}'),
  notPermitted: sent(403, '{"error":"RPC command not permitted. Use a key for full access."}'),
  badAction: sent(400, '{"error":400,"message":"Bad action provided."}'),
  notSupported: sent(200, '{"error":"Action not supported"}'),
  otherNetwork: onText("network_identifier", otherDigit),
  farBehind: (action, answer, request) =>
    honest(action, action === "telemetry" ? { block_count: "1000000" } : answer, request),
  lyingAmount: onText("amount", (amount) => `${amount}0`),
  editedBalance: onText("balance", otherDigit),
  editedLink: onText("link", otherDigit),
  badSignature: onText("signature", otherDigit),
  shiftedSignature: onText("signature", shifted),
  neverConfirmed: onText("confirmed", () => "false"),
  contentsAsText: edited((member, value) =>
    member === "contents" ? JSON.stringify(value) : value,
  ),
  jsonNumbers: edited((_, value) =>
    typeof value === "string" && /^[0-9]{1,40}$/.test(value) ? Number(value) : value,
  ),
  oldPrefixes: (action, answer, request) =>
    honest(action, JSON.parse(JSON.stringify(answer).replaceAll("nano_", "xrb_")), request),
  lostReceivable: onText("exists", () => "0"),
  knowsNothing: only(["blocks_info"], (action, _answer, request) =>
    honest(
      action,
      { blocks: "", blocks_not_found: [...request.matchAll(/[0-9A-F]{64}/g)].map(String) },
      request,
    ),
  ),
} as const satisfies Record<string, Fault>;
