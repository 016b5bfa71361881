import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, stat, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { isListOf, isOpen } from "../verify/shapes.ts";
import { CairnError } from "./error.ts";
import type { MessageKeys } from "./messages/keys.ts";
import { type KeyStore, keptUntil, type NonceSeen } from "./messages/store.ts";
import { isNonce, isOwnKeys, isPublicKeys } from "./messages/store-shapes.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** The holder of a lock touches it this often; one that is not touched for longer is nobody's. */
const HEARTBEAT_MS = 10_000;
const STALE_MS = 30_000;

/** A store in files of one folder, for one process at a time. */
export interface FileStore extends KeyStore {
  /** Lets the next process open the folder. */
  close(): Promise<void>;
}

/**
 * Opens the folder, and makes it where there is none: `keys.json`, `pins.json`, `handles.json` and
 * `nonces.jsonl`, which only their owner may read. Every change is on the disk when its promise resolves. Rejects with
 * CairnError `store_in_use` while another process has it, and `store_damaged`, which names the file;
 * a damaged file stays as it is.
 */
export async function fileStore(folder: string): Promise<FileStore> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  const lock = await lockIn(folder);
  try {
    return await storeIn(folder, lock);
  } catch (error) {
    await lock.free();
    throw error;
  }
}

interface Lock {
  /** Rejects when another process has taken the folder over. */
  readonly demand: () => Promise<void>;
  readonly free: () => Promise<void>;
}

/** A process id says nothing across containers, so the lock has a random name and a heartbeat. */
async function lockIn(folder: string): Promise<Lock> {
  const path = join(folder, "lock");
  const id = randomUUID();
  const isOurs = async () => (await textIn(path)) === id;
  const inUse = () =>
    new CairnError({
      code: "store_in_use",
      message: `Another process uses the store in ${folder}.`,
    });
  const demand = async () => {
    if (!(await isOurs())) throw inUse();
  };
  const isMade = await written(path, id, "wx").then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    },
  );
  if (!isMade) {
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs < STALE_MS) throw inUse();
    await replaced(path, id);
    await demand();
  }
  const beat = async () => {
    if (await isOurs()) await utimes(path, Date.now() / 1_000, Date.now() / 1_000);
  };
  const timer = setInterval(() => void beat().catch(() => {}), HEARTBEAT_MS);
  timer.unref();
  return {
    demand,
    async free() {
      clearInterval(timer);
      if (await isOurs()) await unlink(path);
    },
  };
}

async function storeIn(folder: string, lock: Lock): Promise<FileStore> {
  const at = (name: string) => join(folder, name);
  const keysFile = at("keys.json");
  const pinsFile = at("pins.json");
  const handlesFile = at("handles.json");
  const noncesFile = at("nonces.jsonl");
  let own: readonly MessageKeys[] = await keysIn(keysFile);
  const pins = await mapIn(pinsFile, isPublicKeys);
  const owners = await mapIn(handlesFile, isText);
  const now = Math.floor(Date.now() / 1_000);
  const kept = (await noncesIn(noncesFile))
    .filter(({ until }) => until > now)
    .map((seen) => ({ ...seen, until: keptUntil(seen.until, now) }));
  await replaced(noncesFile, kept.map(lineOf).join(""));
  const nonces = new Map(kept.map((seen) => [markOf(seen), seen.message_id]));
  let last: Promise<unknown> = Promise.resolve();

  /** One change after the other, each by the holder of the lock. */
  function changed<T>(change: () => Promise<T>): Promise<T> {
    const next = last.then(lock.demand).then(change);
    last = next.catch(() => {});
    return next;
  }

  return {
    close: () => changed(lock.free),
    async ownKeys() {
      return own;
    },
    addOwnKeys: (keys) =>
      changed(async () => {
        await replaced(keysFile, JSON.stringify([keys, ...own], null, 2));
        own = [keys, ...own];
      }),
    async pinned(agent_id) {
      return pins.get(agent_id) ?? null;
    },
    pin: (agent_id, { encryption, signing }) =>
      changed(async () => {
        const all = new Map(pins).set(agent_id, { encryption, signing });
        await replaced(pinsFile, JSON.stringify(Object.fromEntries(all), null, 2));
        pins.set(agent_id, { encryption, signing });
      }),
    async handleOwner(handle) {
      return owners.get(handle) ?? null;
    },
    setHandleOwner: (handle, agent_id) =>
      changed(async () => {
        if (owners.get(handle) === agent_id) return;
        const all = new Map(owners).set(handle, agent_id);
        await replaced(handlesFile, JSON.stringify(Object.fromEntries(all), null, 2));
        owners.set(handle, agent_id);
      }),
    firstWith: (seen) =>
      changed(async () => {
        demandReadable(seen);
        const first = nonces.get(markOf(seen));
        if (first !== undefined) return first;
        await written(noncesFile, lineOf(seen), "a");
        nonces.set(markOf(seen), seen.message_id);
        return seen.message_id;
      }),
  };
}

const markOf = ({ from, nonce }: NonceSeen): string => `${from} ${nonce}`;
const lineOf = ({ from, nonce, message_id, until }: NonceSeen): string =>
  `${JSON.stringify({ from, nonce, message_id, until })}\n`;

async function keysIn(path: string): Promise<readonly MessageKeys[]> {
  const value = jsonIn(path, (await textIn(path)) ?? "[]");
  return isListOf(value, isOwnKeys) ? value : damaged(path);
}

/** A file with one JSON object whose members are all of one shape. */
async function mapIn<T>(path: string, is: (value: unknown) => value is T): Promise<Map<string, T>> {
  const value = jsonIn(path, (await textIn(path)) ?? "{}");
  if (!isOpen(value)) return damaged(path);
  return new Map(
    Object.entries(value).map(([name, kept]) => [name, is(kept) ? kept : damaged(path)]),
  );
}

const isText = (value: unknown): value is string => typeof value === "string";

/** What a store could not read again it does not write. */
function demandReadable(seen: NonceSeen): void {
  const isReadable = isNonce(seen) && Number.isSafeInteger(seen.until);
  if (!isReadable) throw new RangeError("A nonce has texts and safe integers.");
}

/** A last line without its end was never acknowledged, so it is left out. */
async function noncesIn(path: string): Promise<readonly NonceSeen[]> {
  const lines = ((await textIn(path)) ?? "").split("\n").slice(0, -1);
  return lines.map((line) => {
    const value = jsonIn(path, line);
    return isNonce(value) ? value : damaged(path);
  });
}

function jsonIn(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return damaged(path);
  }
}

function damaged(path: string): never {
  const message = `${path} is damaged. Bring it back from a copy, or move it away.`;
  throw new CairnError({ code: "store_damaged", message });
}

/** The text of a file; null where there is none. */
async function textIn(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/** Writes and flushes. */
async function written(path: string, text: string, flags: "a" | "wx"): Promise<void> {
  const file = await open(path, flags, FILE_MODE);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A reader sees the old text or the new one, also after a crash. */
async function replaced(path: string, text: string): Promise<void> {
  const next = `${path}.${randomUUID()}`;
  await written(next, text, "wx");
  await rename(next, path);
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;
