import { linkSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { LogSigner } from "../../domains/tlog/signer.ts";
import { makeFolder } from "../../platform/db/folder.ts";
import type { SigningKey } from "../../platform/ledger/seals/signer.ts";
import { isNothingAt } from "../running/trusted-file.ts";
import type { Configuration } from "../settings/settings.ts";
import { memoryIn } from "../storage/memory-file.ts";
import { makeKey, readKey, replaceDurably } from "./operator-key.ts";

const memorySchema = z.object({
  origin: z.string(),
  size: z.int(),
  root: z.string(),
  checkpoint: z.string(),
});

/** Where one node keeps the log's key and what it has signed with it. */
interface LogFiles {
  /** Ed25519, PKCS#8 PEM, mode 0600 (of root also 0640). */
  readonly keyFile: string;
  /** Outside the database, so that a restored database cannot make the log forget. */
  readonly memoryFile: string;
}

/** Where the settings put them. */
export const logFiles = ({
  logKeyFile,
  dataDir,
}: Pick<Configuration, "logKeyFile" | "dataDir">): LogFiles => ({
  keyFile: logKeyFile ?? join(dataDir, "log.key"),
  memoryFile: join(dataDir, "log-memory.json"),
});

/** The log's signer of this node. Its key is looked for again each time: `cairn log init` may make it. */
export const logSignerOf = ({ keyFile, memoryFile }: LogFiles): LogSigner => ({
  keyFile,
  freshKey: (named) => freshKey(keyFile, named),
  key: () => (isNothingAt(keyFile) ? null : readKey(keyFile)),
  ...memoryIn(memoryFile, (json) => memorySchema.parse(json)),
  isStopped: () => !isNothingAt(stoppedFile(keyFile)),
  stop: (note) => replaceDurably(stoppedFile(keyFile), note),
  remember: (memory) => replaceDurably(memoryFile, JSON.stringify(memory)),
});

/** A note that this key has signed elsewhere. While it is there, the key signs nothing here. */
const stoppedFile = (keyFile: string): string => `${keyFile}.signed-elsewhere.note`;

function freshKey(keyFile: string, named: ReadonlySet<string>): SigningKey {
  makeFolder(dirname(keyFile));
  if (isNothingAt(keyFile)) return makeKey(keyFile);
  const held = readKey(keyFile);
  if (!named.has(held.pubkey)) return held;
  const kept = `${keyFile}.${held.pubkey.slice(0, 8)}`;
  if (isNothingAt(kept)) linkSync(keyFile, kept);
  unlinkSync(keyFile);
  return makeKey(keyFile);
}
