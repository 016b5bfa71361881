import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { makeFolder, writeAnew } from "../../platform/db/folder.ts";
import type { Signer, SigningKey } from "../../platform/ledger/seals/signer.ts";
import { messageOf } from "../../verify/stop.ts";
import { isNothingAt } from "../running/trusted-file.ts";
import type { Configuration } from "../settings/settings.ts";
import { memoryIn } from "../storage/memory-file.ts";

const OWNER_ONLY = 0o600;

const memorySchema = z.object({
  origin: z.string(),
  pubkey: z.string(),
  seq: z.int(),
  seal_hash: z.string(),
  signed_at: z.int(),
  signature: z.string(),
});

/** Where one node keeps its key and what it has signed. */
export interface SignerFiles {
  /** Ed25519, PKCS#8 PEM, mode 0600 (of root also 0640). */
  readonly keyFile: string;
  /** Outside the database, so that a restored database cannot make the signer forget. */
  readonly memoryFile: string;
}

/** Where the settings put them. */
export const signerFiles = ({
  signingKeyFile,
  dataDir,
}: Pick<Configuration, "signingKeyFile" | "dataDir">): SignerFiles => ({
  keyFile: signingKeyFile ?? join(dataDir, "operator.key"),
  memoryFile: join(dataDir, "signer-memory.json"),
});

/** The current key, or null when this node has none. Throws a sentence when it is unusable. */
export function currentKey({ keyFile, memoryFile }: SignerFiles): SigningKey | null {
  for (const file of [keyFile, memoryFile]) makeFolder(dirname(file));
  return isNothingAt(keyFile) ? null : readKey(keyFile);
}

/** Makes a new key and its file, which must not be there. */
export function makeKey(file: string): SigningKey {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  writeDurably(file, String(pem), "wx");
  return keyOf(privateKey);
}

/** Takes back a key that this process made and that the ledger did not take. */
export const discardKey = ({ keyFile }: SignerFiles): void => unlinkSync(keyFile);

const nextFile = (keyFile: string): string => `${keyFile}.next`;

/** The key that a rotation is to bring, beside the current one: made now, or by one that was cut off. */
export function nextKey({ keyFile }: SignerFiles): SigningKey {
  const file = nextFile(keyFile);
  return isNothingAt(file) ? makeKey(file) : readKey(file);
}

/** A key of the operator, and the file that holds it. */
interface KeptKey {
  readonly pubkey: string;
  readonly file: string;
}

/**
 * Makes the next key the current one and keeps the one that was there beside it, under the number of
 * the rotation, or under the next one that is free: after a restore an older key may have that name.
 * At every moment all keys are in one file or another. Resolves to the kept key, or to null when there was none.
 */
export function turnKey({ keyFile }: SignerFiles, rotation: number): KeptKey | null {
  const kept = isNothingAt(keyFile) ? null : keptBeside(keyFile, rotation);
  renameSync(nextFile(keyFile), keyFile);
  syncFolder(dirname(keyFile));
  return kept;
}

function keptBeside(keyFile: string, rotation: number): KeptKey {
  const { pubkey } = readKey(keyFile);
  for (let number = rotation; ; number++) {
    const file = `${keyFile}.${number}`;
    const isFree = isNothingAt(file);
    if (!isFree && readKey(file).pubkey !== pubkey) continue;
    if (isFree) {
      const unfinished = `${file}.part`;
      writeAnew(unfinished, readFileSync(keyFile, "utf8"), OWNER_ONLY);
      renameSync(unfinished, file);
    }
    return { pubkey, file };
  }
}

/** The file that holds a key, or null when none does. */
export const fileOfKey = ({ keyFile }: SignerFiles, pubkey: string): string | null =>
  keyFiles(keyFile).find((file) => readKey(file).pubkey === pubkey) ?? null;

/** The signer of this node. Its keys are looked for again when the ledger names one that is new. */
export function signerOf({ keyFile, memoryFile }: SignerFiles): Signer {
  let known = new Map<string, SigningKey>();
  return {
    keyOf(pubkey) {
      if (!known.has(pubkey)) known = readKeys(keyFile);
      return known.get(pubkey) ?? null;
    },
    ...memoryIn(memoryFile, (json) => memorySchema.parse(json)),
    remember: (memory) => replaceDurably(memoryFile, JSON.stringify(memory)),
  };
}

/** Puts a text in the place of a file's; durable when it returns, and never half of it. */
export function replaceDurably(file: string, text: string): void {
  const next = `${file}.next`;
  writeAnew(next, text, OWNER_ONLY);
  renameSync(next, file);
  syncFolder(dirname(file));
}

/** Keeps what was remembered before an epoch beside what will be remembered in it. */
export function keepMemory({ memoryFile }: SignerFiles, epoch: number): void {
  const kept = `${memoryFile}.before-epoch-${epoch}`;
  if (isNothingAt(memoryFile) || !isNothingAt(kept)) return;
  linkSync(memoryFile, kept); // Never changed in place: a new memory is a new file.
  syncFolder(dirname(memoryFile));
}

/** After the name of the current key's file: its own, the next one's, and those of old keys. */
const KEY_SUFFIX = /^(?:|\.next|\.[1-9][0-9]*)$/;

function keyFiles(keyFile: string): string[] {
  const folder = dirname(keyFile);
  const current = basename(keyFile);
  const isKey = (name: string) =>
    name.startsWith(current) && KEY_SUFFIX.test(name.slice(current.length));
  return readdirSync(folder)
    .filter(isKey)
    .map((name) => join(folder, name));
}

function readKeys(keyFile: string): Map<string, SigningKey> {
  return new Map(
    keyFiles(keyFile)
      .map(readKey)
      .map((key) => [key.pubkey, key]),
  );
}

/**
 * Whether a key can be read by others than the service. A key of root's may be readable for its group, as
 * secrets are that a cluster mounts into a container (`fsGroup`); PostgreSQL has the same rule.
 */
export const isOpenToOthers = ({ mode, uid }: Pick<Stats, "mode" | "uid">): boolean =>
  (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;

/** The key in a file. Throws a sentence when it is unusable. */
export function readKey(file: string): SigningKey {
  const found = statSync(file);
  if (!found.isFile()) throw new Error(`The key ${file} is not a file.`);
  if (isOpenToOthers(found)) {
    throw new Error(`The key ${file} can be read by others; set its mode to 0600.`);
  }
  const pem = readFileSync(file);
  try {
    const privateKey = createPrivateKey(pem);
    if (privateKey.asymmetricKeyType === "ed25519") return keyOf(privateKey);
  } catch {
    // Said below: a damaged key and one of another kind are the same fault to an operator.
  }
  throw new Error(`The file ${file} does not hold an Ed25519 key in PKCS#8 PEM.`);
}

function keyOf(privateKey: KeyObject): SigningKey {
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  return {
    pubkey: Buffer.from(x, "base64url").toString("hex"),
    sign: (message) => signBytes(null, Buffer.from(message), privateKey).toString("base64"),
  };
}

function writeDurably(file: string, text: string, flags: "w" | "wx"): void {
  const opened = openSync(file, flags, OWNER_ONLY);
  try {
    writeSync(opened, text);
    fsyncSync(opened);
  } catch (error) {
    throw new Error(`${file} cannot be written: ${messageOf(error)}`, { cause: error });
  } finally {
    closeSync(opened);
  }
  syncFolder(dirname(file));
}

/** A new name is durable only when its folder is. */
function syncFolder(folder: string): void {
  const opened = openSync(folder, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
