import { existsSync, linkSync, readFileSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { makeFolder } from "../../db/folder.ts";
import type { SigningKey } from "../../ledger/seals/signer.ts";
import type { LogMemory, LogSigner } from "../../tlog/signer.ts";
import type { Configuration } from "../settings/settings.ts";
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
  key: () => (existsSync(keyFile) ? readKey(keyFile) : null),
  recall: () => readMemory(memoryFile),
  isStopped: () => existsSync(stoppedFile(keyFile)),
  stop: (note) => replaceDurably(stoppedFile(keyFile), note),
  remember: (memory) => replaceDurably(memoryFile, JSON.stringify(memory)),
});

/** A note that this key has signed elsewhere. While it is there, the key signs nothing here. */
const stoppedFile = (keyFile: string): string => `${keyFile}.signed-elsewhere.note`;

function readMemory(file: string): LogMemory | "unreadable" | null {
  if (!existsSync(file)) return null;
  try {
    return memorySchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return "unreadable"; // To go on would be to forget what was signed.
  }
}

function freshKey(keyFile: string, named: ReadonlySet<string>): SigningKey {
  makeFolder(dirname(keyFile));
  if (!existsSync(keyFile)) return makeKey(keyFile);
  const held = readKey(keyFile);
  if (!named.has(held.pubkey)) return held;
  const kept = `${keyFile}.${held.pubkey.slice(0, 8)}`;
  if (!existsSync(kept)) linkSync(keyFile, kept);
  unlinkSync(keyFile);
  return makeKey(keyFile);
}
