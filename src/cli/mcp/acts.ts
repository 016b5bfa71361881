import { readFileSync } from "node:fs";
import type { Result } from "@modelcontextprotocol/server";
import * as z from "zod";
import { type ActSigner, actKey, actSigner } from "../../client/acts.ts";
import { CairnError } from "../../client/index.ts";
import { Stop, USAGE } from "../command/stop.ts";
import { calledIn, calledWith } from "./called.ts";
import type { Passed } from "./remote.ts";
import { refusalOf } from "./results.ts";
import { isNodeError, keepIn } from "./token-file.ts";

/** The tools whose entries an act key signs, and the kinds of those. */
export const SIGNED_TOOLS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    coin_send: "coin_transfer",
    market_order_create: "order",
    market_deliver: "order_delivered",
    market_accept: "order_released",
    market_dispute: "order_disputed",
    market_payout_address_set: "payout_address",
    request_create: "request",
    request_accept: "request_accepted",
  }),
);

const kept = z.object({ agent_id: z.string(), seed: z.string().regex(/^[0-9a-f]{64}$/) });

/** The signer of the agent whose act key is in the file beside its token; null without one. A Stop where it holds none. */
export function signerIn(file: string): ActSigner | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (isNodeError(error) && error.code === "ENOENT") return null;
    throw new Stop(USAGE, `${file} cannot be read.`, error);
  }
  const { data } = kept.safeParse(parsed(text));
  if (data === undefined) throw new Stop(USAGE, `${file} holds no act key.`);
  return actSigner(data.agent_id, actKey(data.seed));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Registers with a fresh act key, and keeps it in a new file. Rejects with EEXIST where there is one. */
export async function registerWithKey<
  Fields extends object,
  Out extends { readonly agent_id: string },
>(
  file: string,
  register: (fields: Fields & { readonly pubkey?: string }) => Promise<Out>,
  fields: Fields,
): Promise<Out> {
  const { seed, ...key } = actKey();
  const input = { ...fields, pubkey: key.pubkey };
  const made = async () => {
    const signed = await register(input).then(unneeded, async (error: unknown) => {
      if (!(error instanceof CairnError) || error.code !== "act_unsigned") throw error;
      return actSigner(null, key).signed("agent_key", { pubkey: key.pubkey }, error.details);
    });
    return register({ ...input, ...signed });
  };
  return keepIn(file, made, ({ agent_id }) => JSON.stringify({ agent_id, seed }));
}

const unneeded = (): never => {
  throw new CairnError({
    code: "unasked_act",
    message: "The network took a key without its signature: it knows none.",
  });
};

const unsigned = z.object({
  error: z.literal("act_unsigned"),
  details: z.array(z.object({ field: z.string(), problem: z.string() })),
});

type Ask = (message: Passed) => Promise<Result>;

/** Sends a call on, and once more with its signature when the network asks for one. */
export async function askSigned(
  ask: Ask,
  message: Passed,
  { kind, signer }: { readonly kind: string; readonly signer: ActSigner },
): Promise<Result> {
  const input = signer.prepared(kind, calledIn(message.params)?.arguments ?? {});
  const first = await ask(calledWith(message, input));
  const refused = unsigned.safeParse(bodyIn(first)).data;
  if (refused === undefined) return first;
  try {
    const fields = await signer.signed(kind, input, refused.details);
    return fields === null ? first : await ask(calledWith(message, { ...input, ...fields }));
  } catch (error) {
    if (error instanceof CairnError) return refusalOf(error);
    throw error;
  }
}

const bodyIn = ({ content }: Result): unknown =>
  Array.isArray(content) ? parsed(String(Object(content[0]).text)) : null;
