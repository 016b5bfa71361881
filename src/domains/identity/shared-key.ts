import type { Context } from "../../platform/context.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import * as sql from "./queries.ts";

/** What the keys seal: challenges of registrations, and the codes and client ids of authorizations. */
const NAMES = ["challenge", "authorization"] as const;

const KEY_BYTES = 32;

/** Makes the keys that all nodes share, at the first start that needs them. */
export async function prepareKeys({
  read,
  write,
  random,
}: Pick<Context, "read" | "write" | "random">): Promise<void> {
  for (const name of NAMES) {
    if ((await sql.secret.first(read, { name })) !== undefined) continue;
    const value = random(KEY_BYTES);
    await write((tx) => sql.insertSecret.run(tx, { name, value }));
  }
}

/** The key of this name, 32 bytes. Rejects with `storage_unavailable` before the first start is over. */
export async function sharedKey(
  { read }: Pick<Context, "read">,
  name: (typeof NAMES)[number],
): Promise<Uint8Array> {
  const row = await sql.secret.first(read, { name });
  if (row !== undefined) return row.value;
  throw new Rejection("storage_unavailable", "The network is starting. Try again.");
}
