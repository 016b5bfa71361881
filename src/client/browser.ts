import { isOpen } from "../verify/shapes.ts";
import { CairnError } from "./error.ts";
import type { MessageKeys } from "./messages/keys.ts";
import { type KeyStore, keptUntil } from "./messages/store.ts";
import { isOwnKeys, isPublicKeys } from "./messages/store-shapes.ts";

// As much of IndexedDB as is used: the types of browsers are not those of the service.

interface Asked<Result> {
  readonly result: Result;
  onsuccess: (() => void) | null;
}

interface Cursor {
  readonly value: unknown;
  delete(): unknown;
  update(value: unknown): unknown;
  continue(): void;
}

interface Objects {
  get(key: string): Asked<unknown>;
  getAll(): Asked<unknown[]>;
  put(value: unknown, key?: string): unknown;
  openCursor(): Asked<Cursor | null>;
}

interface Transaction {
  objectStore(name: string): Objects;
  readonly error: unknown;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
}

interface Database {
  createObjectStore(name: string, options?: { readonly autoIncrement: true }): unknown;
  transaction(name: string, mode: "readonly" | "readwrite", options?: object): Transaction;
}

interface Opening extends Asked<Database> {
  readonly error: unknown;
  onerror: (() => void) | null;
  onupgradeneeded: (() => void) | null;
}

type Mode = "readonly" | "readwrite";

/**
 * Opens the IndexedDB database of that name, and makes it where there is none. Two tabs of an origin
 * may use it at once: each change is one transaction. Rejects with CairnError `store_damaged` for keys
 * that are none.
 */
export async function indexedDbStore(name: string): Promise<KeyStore> {
  const database = await opened(name);

  /** One transaction; resolves, once it is durable, to what `work` has handed to `give`. */
  const run = <T>(
    store: string,
    mode: Mode,
    work: (objects: Objects, give: (it: T) => void) => void,
  ) =>
    new Promise<T | undefined>((resolve, reject) => {
      let given: T | undefined;
      const transaction = database.transaction(store, mode, { durability: "strict" });
      transaction.oncomplete = () => resolve(given);
      transaction.onabort = () => reject(transaction.error);
      work(transaction.objectStore(store), (it) => {
        given = it;
      });
    });

  const read = <T>(store: string, ask: (objects: Objects) => Asked<T>) =>
    run<T>(store, "readonly", (objects, give) => {
      const asked = ask(objects);
      asked.onsuccess = () => give(asked.result);
    });

  await run("nonces", "readwrite", (nonces) => forgetOld(nonces, Math.floor(Date.now() / 1_000)));

  return {
    async ownKeys() {
      const all = (await read("keys", (objects) => objects.getAll())) ?? [];
      const keys = all.filter((one): one is MessageKeys => isOwnKeys(one));
      return keys.length === all.length ? keys.reverse() : damaged(name);
    },
    async addOwnKeys(keys) {
      await run("keys", "readwrite", (objects) => objects.put({ ...keys }));
    },
    async pinned(agent_id) {
      const keys = await read("pins", (objects) => objects.get(agent_id));
      if (keys === undefined) return null;
      return isPublicKeys(keys) ? keys : damaged(name);
    },
    async pin(agent_id, { encryption, signing }) {
      await run("pins", "readwrite", (objects) => objects.put({ encryption, signing }, agent_id));
    },
    // Handles are beside the pins: no handle has the form of an agent_id.
    async handleOwner(handle) {
      const owner = await read("pins", (objects) => objects.get(handle));
      if (owner === undefined) return null;
      return isOpen(owner) && typeof owner["agent_id"] === "string"
        ? owner["agent_id"]
        : damaged(name);
    },
    async setHandleOwner(handle, agent_id) {
      await run("pins", "readwrite", (objects) => objects.put({ agent_id }, handle));
    },
    async firstWith({ from, nonce, message_id, until }) {
      const mark = `${from} ${nonce}`;
      const first = await run<unknown>("nonces", "readwrite", (nonces, give) => {
        const asked = nonces.get(mark);
        asked.onsuccess = () => {
          if (asked.result === undefined) nonces.put({ message_id, until }, mark);
          give(asked.result ?? { message_id });
        };
      });
      return isOpen(first) ? Number(first["message_id"]) : damaged(name);
    },
  };
}

const platform: object = globalThis;

function opened(name: string): Promise<Database> {
  return new Promise((resolve, reject) => {
    const opening: Opening = Reflect.get(platform, "indexedDB").open(name, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore("keys", { autoIncrement: true });
      opening.result.createObjectStore("pins");
      opening.result.createObjectStore("nonces");
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

function forgetOld(nonces: Objects, now: number): void {
  const asked = nonces.openCursor();
  asked.onsuccess = () => {
    const cursor = asked.result;
    if (cursor === null) return;
    const until = isOpen(cursor.value) ? Number(cursor.value["until"]) : 0;
    const end = keptUntil(until, now);
    if (until <= now) cursor.delete();
    else if (isOpen(cursor.value) && end < until) cursor.update({ ...cursor.value, until: end });
    cursor.continue();
  };
}

function damaged(name: string): never {
  const message = `The IndexedDB database ${name} holds no keys of Cairn's.`;
  throw new CairnError({ code: "store_damaged", message });
}
