import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import * as z from "zod";
import type { Signer, SignerMemory } from "../ledger/signer.ts";

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
  /** Ed25519, PKCS#8 PEM, mode 0600. */
  readonly keyFile: string;
  /** Outside the database, so that a restored database cannot make the signer forget. */
  readonly memoryFile: string;
}

/** The signer of this node, or null when it has no key. Throws a sentence when the key is unusable. */
export function readSigner(files: SignerFiles): Signer | null {
  for (const file of [files.keyFile, files.memoryFile]) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  }
  if (!existsSync(files.keyFile)) return null;
  if ((statSync(files.keyFile).mode & 0o077) !== 0) {
    throw new Error(`The key ${files.keyFile} can be read by others; set its mode to 0600.`);
  }
  return signerOf(readKey(files.keyFile), files.memoryFile);
}

/** Makes a new key and its file. Only for a ledger that has no first entry yet. */
export function makeSigner(files: SignerFiles): Signer {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  writeDurably(files.keyFile, String(pem), "wx");
  return signerOf(privateKey, files.memoryFile);
}

/** Takes back a key that this process made and that the ledger did not take. */
export const discardKey = (files: SignerFiles): void => unlinkSync(files.keyFile);

function readKey(file: string): KeyObject {
  try {
    const privateKey = createPrivateKey(readFileSync(file));
    if (privateKey.asymmetricKeyType === "ed25519") return privateKey;
  } catch {
    // Said below: an unreadable key and one of another kind are the same fault to an operator.
  }
  throw new Error(`The file ${file} does not hold an Ed25519 key in PKCS#8 PEM.`);
}

function signerOf(privateKey: KeyObject, memoryFile: string): Signer {
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  return {
    pubkey: Buffer.from(x, "base64url").toString("hex"),
    sign: (message) => signBytes(null, Buffer.from(message), privateKey).toString("base64"),
    recall: () => readMemory(memoryFile),
    remember(memory) {
      const next = `${memoryFile}.next`;
      writeDurably(next, JSON.stringify(memory), "w");
      renameSync(next, memoryFile);
      syncFolder(dirname(memoryFile));
    },
  };
}

function readMemory(file: string): SignerMemory | "unreadable" | null {
  if (!existsSync(file)) return null;
  try {
    return memorySchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return "unreadable"; // To go on would be to forget what was signed.
  }
}

function writeDurably(file: string, text: string, flags: "w" | "wx"): void {
  const opened = openSync(file, flags, OWNER_ONLY);
  try {
    writeSync(opened, text);
    fsyncSync(opened);
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
