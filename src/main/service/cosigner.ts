import { readFileSync } from "node:fs";
import { join } from "node:path";
import { addLogs, type Cosigner } from "../../domains/tlog/cosigning.ts";
import { keepIdentity, witnessIdentity } from "../../domains/tlog/cosigning-queries.ts";
import type { Store } from "../../platform/db/engine.ts";
import { noteKey, vkeyOf, WITNESS_KEY } from "../../platform/kernel/tlog/note.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { isNothingAt } from "../running/trusted-file.ts";
import type { Configuration } from "../settings/settings.ts";
import { makeKey, readKey } from "./operator-key.ts";

/** A list of logs has so many bytes at most, and arrives within this time. */
const LIST_BYTES_MAX = 4 * 1024 * 1024;
const LIST_PATIENCE_MS = 10_000;

/** What this service is as a witness of others. */
export interface WitnessOfOthers {
  readonly cosigner: Cosigner;
  /** Reads the list of logs again, and resolves to how many are new. */
  readonly readLogs: () => Promise<number>;
}

/**
 * The witness that this service is, where a list of logs is set; null elsewhere. Its key is made at the
 * first start. Throws a sentence when key, name or list cannot be used.
 */
export async function openWitness(
  configuration: Configuration,
  store: Pick<Store, "read" | "write">,
  origin: string,
): Promise<WitnessOfOthers | null> {
  const { witnessLogs } = configuration;
  if (witnessLogs === null) return null;
  const cosigner = await openCosigner(configuration, store, origin);
  const readLogs = async () => addLogs(store, await listAt(witnessLogs));
  // A list at a URL is read by the job: its server may be away.
  if (!isUrl(witnessLogs))
    await readLogs().catch((error: Error) => {
      throw new Error(`CAIRN_WITNESS_LOGS ${witnessLogs}: ${error.message}`);
    });
  return { cosigner, readLogs };
}

/** A cosignature does not name its witness, so one key has one name for ever; the database keeps both. */
async function openCosigner(
  { witnessName, witnessKeyFile, dataDir }: Configuration,
  { read, write }: Pick<Store, "read" | "write">,
  origin: string,
): Promise<Cosigner> {
  const file = witnessKeyFile ?? join(dataDir, "witness.key");
  const known = await witnessIdentity.first(read, {});
  const isMissing = isNothingAt(file);
  if (known !== undefined && isMissing)
    throw new Error(`The key of the witness ${known.name} is not in ${file}: put it there.`);
  const { pubkey, sign } = isMissing ? makeKey(file) : readKey(file);
  const name = witnessName ?? known?.name ?? `${origin}/witness`;
  if (name.includes("+"))
    throw new Error(
      `The witness cannot be called ${name}, because of the "+": set CAIRN_WITNESS_NAME.`,
    );
  if (known === undefined) await write((tx) => keepIdentity.run(tx, { name, pubkey }));
  const kept = known ?? { name, pubkey };
  if (kept.name !== name)
    throw new Error(
      `This witness is called ${kept.name} for ever; CAIRN_WITNESS_NAME says ${name}.`,
    );
  if (kept.pubkey !== pubkey)
    throw new Error(
      `${file} holds another key than that of the witness ${name}: put that one there.`,
    );
  return { key: noteKey(name, WITNESS_KEY, pubkey, sha256), sign };
}

const isUrl = (place: string): boolean => /^https?:\/\//.test(place);

async function listAt(place: string): Promise<string> {
  if (!isUrl(place)) return readFileSync(place, "utf8");
  const answer = await fetch(place, { signal: AbortSignal.timeout(LIST_PATIENCE_MS) });
  if (!answer.ok) throw new Error(`The list of logs at ${place} answers ${answer.status}.`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > LIST_BYTES_MAX) throw new Error(`The list of logs at ${place} is too long.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** What others write into a policy to name this witness. */
export const witnessLine = ({ cosigner: { key } }: WitnessOfOthers, baseUrl: string): string =>
  `witness ${key.name.replace(/[^\w.-]+/g, "-")} ${vkeyOf(key)} ${baseUrl}/witness`;
