import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { toHex } from "../platform/kernel/bytes.ts";
import type { Sha256 } from "../platform/kernel/proof/merkle.ts";
import type { SignatureCheck } from "../platform/kernel/proof/signature.ts";
import { verifyEd25519 } from "./ed25519.ts";
import { messageOf, Stop, UNREADABLE, USAGE } from "./stop.ts";

/** What a walk takes from where it runs. */
export interface Platform extends SignatureCheck {
  readonly sha256: Sha256;
  /** SHA-256 of the UTF-8 bytes of a text, in lower-case hex. */
  readonly sha256Hex: (text: string) => string;
  /** A new text that nobody can guess. */
  readonly seed: () => string;
}

const encoder = new TextEncoder();
const SEED_BYTES = 16;
const seed = (): string => toHex(crypto.getRandomValues(new Uint8Array(SEED_BYTES)));

/** Plain JavaScript, as in a page: browsers hash and check asynchronously only. */
export const PORTABLE: Platform = {
  sha256: nobleSha256,
  sha256Hex: (text) => toHex(nobleSha256(encoder.encode(text))),
  seed,
  verifySignature: verifyEd25519,
};

/** Whether Node's modules are there, as in Node, Bun and Deno. */
const hasNode = (): boolean => typeof process !== "undefined" && Boolean(process.versions?.node);

let found: Promise<Platform> | null = null;

/** The platform's own library where it has a synchronous one. */
export function platformHere(): Promise<Platform> {
  found ??= hasNode() ? nodePlatform() : Promise.resolve(PORTABLE);
  return found;
}

/** SubjectPublicKeyInfo of an Ed25519 key is this prefix and its 32 bytes (RFC 8410). */
const SPKI_PREFIX = "302a300506032b6570032100";

async function nodePlatform(): Promise<Platform> {
  const node = await import("node:crypto");
  // By way of a text, which is a third faster than asking for a buffer.
  const sha256: Sha256 =
    node.hash === undefined // Before Node 20.12.
      ? (bytes) => node.createHash("sha256").update(bytes).digest()
      : (bytes) => Buffer.from(node.hash("sha256", bytes, "latin1"), "latin1");
  return {
    sha256,
    sha256Hex: (text) => node.createHash("sha256").update(text).digest("hex"),
    seed,
    verifySignature(publicKey, message, signature) {
      const der = Buffer.concat([Buffer.from(SPKI_PREFIX, "hex"), publicKey]);
      try {
        const key = node.createPublicKey({ key: der, format: "der", type: "spki" });
        return node.verify(null, message, key, signature);
      } catch {
        return false;
      }
    },
  };
}

export type Environment = Readonly<Record<string, string | undefined>>;

const PROXIES = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"];

/**
 * Sends every further request of this process through the proxy that the environment names, except to the
 * hosts of NO_PROXY. Bun and Deno do so by themselves. A Stop where the variable names no proxy.
 */
export async function followProxy(environment: Environment): Promise<void> {
  if (!hasNode() || process.versions["bun"] || process.versions["deno"]) return;
  if (!PROXIES.some((name) => environment[name])) return;
  const { setGlobalProxyFromEnv } = await import("node:http");
  if (setGlobalProxyFromEnv === undefined) return tellOfOldNode(environment);
  try {
    setGlobalProxyFromEnv({ ...environment });
  } catch (error) {
    const form = "URLs of a proxy, such as http://127.0.0.1:3128";
    throw new Stop(USAGE, `HTTPS_PROXY and HTTP_PROXY must be ${form}.`, error);
  }
}

/** Before Node 24.14 a program cannot choose; from 22.21 on Node can be told to when it starts. */
function tellOfOldNode({ NODE_USE_ENV_PROXY }: Environment): void {
  const isKnown = process.allowedNodeEnvironmentFlags.has("--use-env-proxy");
  if (isKnown && NODE_USE_ENV_PROXY === "1") return;
  const way = isKnown ? "Set NODE_USE_ENV_PROXY=1" : "Use Node 24.14 or newer";
  process.stderr.write(`This Node asks no proxy, though HTTPS_PROXY names one. ${way}.\n`);
}

/** Bytes of a file that are read at once. */
const BLOCK_BYTES = 1024 * 1024;

/** The text of a file, which may be compressed by gzip, in blocks; `-` is standard input. */
export async function* blocksOf(path: string): AsyncGenerator<string> {
  if (!hasNode()) throw new Stop(USAGE, "A page verifies a URL.");
  const { createReadStream } = await import("node:fs");
  const options = { highWaterMark: BLOCK_BYTES };
  const bytes = path === "-" ? process.stdin : createReadStream(path, options);
  const decoder = new TextDecoder();
  try {
    for await (const block of await uncompressed(bytes))
      yield decoder.decode(block, { stream: true });
  } catch (error) {
    throw new Stop(UNREADABLE, `${path} cannot be read: ${messageOf(error)}.`, error);
  }
}

async function uncompressed(bytes: NodeJS.ReadableStream): Promise<AsyncIterable<Uint8Array>> {
  const { Readable, pipeline } = await import("node:stream");
  const { createGunzip } = await import("node:zlib");
  const blocks = bytes[Symbol.asyncIterator]();
  const first = await blocks.next();
  async function* whole() {
    if (!first.done) yield bytesOf(first.value);
    for (;;) {
      const { done, value } = await blocks.next();
      if (done) return;
      yield bytesOf(value);
    }
  }
  if (first.done) return whole();
  const [one, two] = bytesOf(first.value);
  if (one !== 0x1f || two !== 0x8b) return whole();
  const text = createGunzip({ chunkSize: BLOCK_BYTES });
  pipeline(Readable.from(whole()), text, () => {}); // An error comes out of `text`.
  return text;
}

const bytesOf = (block: string | Uint8Array): Uint8Array =>
  typeof block === "string" ? encoder.encode(block) : block;

/** The bytes of a file in a folder, so many at most. Rejects with the reason of the system. */
export async function fileIn(folder: string, path: string, bytesMax: number): Promise<Uint8Array> {
  const { readFile, stat } = await import("node:fs/promises");
  const { size } = await stat(`${folder}/${path}`);
  if (size > bytesMax) throw new Error(`The file has over ${bytesMax} bytes.`);
  return readFile(`${folder}/${path}`);
}

/** The text of a small file of the user's; null when it is not there. A Stop when it cannot be read. */
export async function smallFile(file: string): Promise<string | null> {
  const { readFile } = await import("node:fs/promises");
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new Stop(USAGE, `${file} cannot be read: ${error.message}.`, error);
  });
}

/** Where a file is, or will be, to which symbolic links lead: they stay. */
async function behindLinks(file: string): Promise<string> {
  const { readlinkSync, realpathSync } = await import("node:fs");
  const { dirname, resolve } = await import("node:path");
  try {
    return realpathSync(file);
  } catch {
    try {
      return resolve(dirname(file), readlinkSync(file));
    } catch {
      return file;
    }
  }
}

/**
 * Writes a file whole or not at all; a symbolic link of that name stays and its target is written. Until then it has a
 * name that nobody can foresee, and that nothing else has. A Stop when that fails.
 */
export async function writeWhole(
  file: string,
  text: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const fs = await import("node:fs");
  const stream = await import("node:stream/promises");
  const target = await behindLinks(file);
  const next = `${target}.partial-${seed()}`;
  let isOurs = false;
  try {
    const handle = await fs.promises.open(next, "wx");
    isOurs = true;
    await stream.pipeline(text, handle.createWriteStream({ flush: true }));
    fs.renameSync(next, target);
  } catch (error) {
    if (isOurs) fs.rmSync(next, { force: true });
    if (error instanceof Stop) throw error;
    throw new Stop(USAGE, `${file} cannot be written: ${messageOf(error)}.`, error);
  }
}

/** Makes the folder of a file, and those above it, for their owner alone. A Stop when it cannot. */
export async function makeFolderOf(file: string): Promise<void> {
  const { existsSync, mkdirSync } = await import("node:fs");
  const { dirname } = await import("node:path");
  // Node's own `recursive` never ends below /proc.
  const make = (folder: string): void => {
    if (existsSync(folder)) return;
    make(dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
  };
  try {
    make(dirname(file));
  } catch (error) {
    throw new Stop(USAGE, `${file} cannot be written: ${messageOf(error)}.`, error);
  }
}
