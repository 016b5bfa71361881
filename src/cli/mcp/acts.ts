import type { Result } from "@modelcontextprotocol/server";
import * as z from "zod";
import {
  type ActRecord,
  type ActSigner,
  type ActStore,
  actKey,
  actSigner,
  introduction,
} from "../../client/acts.ts";
import { CairnError, connect } from "../../client/index.ts";
import { Stop, USAGE } from "../command/stop.ts";
import { calledIn, calledWith } from "./called.ts";
import type { Passed } from "./remote.ts";
import { refusalOf } from "./results.ts";
import { contentOf, keepIn, replaceFile } from "./token-file.ts";

/** The tools whose entries an act key signs, and the names of those acts. */
export const SIGNED_TOOLS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    coin_send: "coin_transfer",
    market_offer_create: "offer",
    market_offer_withdraw: "offer_withdrawn",
    market_order_create: "order",
    market_deliver: "order_delivered",
    market_accept: "order_released",
    market_dispute: "order_disputed",
    market_dispute_withdraw: "order_resolved/resume",
    market_refund: "order_resolved/refund",
    market_payout_address_set: "payout_address",
    request_create: "request",
    request_accept: "request_accepted",
    request_refuse: "request_refused",
    request_withdraw: "request_withdrawn",
    repo_writer_set: "repo_writer",
  }),
);

const kept = z.object({ agent_id: z.string(), seed: z.string().regex(/^[0-9a-f]{64}$/) });

const record = z.object({
  genesis: z.string().regex(/^[0-9a-f]{64}$/),
  epoch: z.int().min(1),
  key: z.int().min(1),
  act: z.int().min(0),
  open_until: z.int().optional(),
});

/**
 * The ledger of a key and its last act, in the file beside it: processes with one key share it, and none takes another
 * ledger's acts after a restart. A key that was kept without such a file gets it with its next act.
 */
function storeBeside(keyFile: string): ActStore {
  const file = `${keyFile}.ledger`;
  return {
    read() {
      const text = contentOf(file);
      if (text === null) return null;
      const { data } = record.safeParse(parsed(text));
      if (data === undefined) throw new Stop(USAGE, `${file} holds no ledger's acts.`);
      return data;
    },
    keep: (known) => replaceFile(file, JSON.stringify(known)),
  };
}

/** The signer of the agent whose act key is in the file beside its token; null without one. A Stop where it holds none. */
export function signerIn(file: string, baseUrl: string): ActSigner | null {
  const text = contentOf(file);
  if (text === null) return null;
  const { data } = kept.safeParse(parsed(text));
  if (data === undefined) throw new Stop(USAGE, `${file} holds no act key.`);
  const store = storeBeside(file);
  void store.read();
  return actSigner(data.agent_id, actKey(data.seed), connect({ baseUrl }), { store });
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
  Fields extends { readonly handle?: string | undefined },
  Out extends { readonly agent_id: string },
>(
  file: string,
  register: (fields: Fields & { readonly pubkey?: string }) => Promise<Out>,
  fields: Fields,
): Promise<Out> {
  const { seed, ...key } = actKey();
  const input = { ...fields, pubkey: key.pubkey };
  let known: ActRecord | null = null;
  const made = async () => {
    const signed = await register(input).then(unneeded, async (error: unknown) => {
      if (!(error instanceof CairnError) || error.code !== "act_unsigned") throw error;
      return introduction(key, fields.handle, error.details);
    });
    known = signed.record;
    return register({ ...input, ...signed.fields });
  };
  const registered = await keepIn(file, made, ({ agent_id }) => JSON.stringify({ agent_id, seed }));
  // The key is in its file: beside one on a full or read-only volume its first act is not remembered.
  if (known !== null) await Promise.resolve(storeBeside(file).keep(known)).catch(() => {});
  return registered;
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
  const given = calledIn(message.params)?.arguments ?? {};
  try {
    const send = async (input: object) => {
      const result = await ask(calledWith(message, { ...input }));
      const refused = unsigned.safeParse(bodyIn(result)).data;
      return {
        isMade: result["isError"] !== true,
        unsigned: refused?.details ?? null,
        out: () => result,
      };
    };
    return await signer.act(kind, given, send, message.signal);
  } catch (error) {
    return refusalOf(error);
  }
}

const bodyIn = ({ content }: Result): unknown =>
  Array.isArray(content) ? parsed(String(Object(content[0]).text)) : null;
