import { makeFolderOf, smallFile, writeWhole } from "./platform.ts";
import { isListOf, isOpen } from "./shapes.ts";
import { Stop, USAGE } from "./stop.ts";
import { jsonOf } from "./transport.ts";

/** The state of a verified chain, by which the next verification notices a rewritten one. */
export interface Head {
  /** Where it was read. */
  readonly address: string;
  /** The genesis key first, then keys that no rotation links. */
  readonly keys: readonly string[];
  readonly seq: number;
  readonly seal_hash: string;
  /** The origin line of that seal; a restore changes it. */
  readonly origin: string;
  /** The key that signatures had led to: an older one cannot admit that this seal was lost. */
  readonly signer: string | null;
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Old files have no signer. */
const isHead = (
  value: unknown,
): value is Omit<Head, "signer"> & { readonly signer?: string | null } =>
  isOpen(value) &&
  isText(value["address"]) &&
  isListOf(value["keys"], isText) &&
  Number.isSafeInteger(value["seq"]) &&
  isText(value["seal_hash"]) &&
  isText(value["origin"]) &&
  (value["signer"] == null || isText(value["signer"]));

/** The newest seal seen of each chain, by the origin that it began with. A Stop when damaged. */
export async function readHeads(file: string | null): Promise<Map<string, Head>> {
  const text = file === null ? null : await smallFile(file);
  if (text === null) return new Map();
  const state = jsonOf(text);
  const { version, heads } = isOpen(state) ? state : {};
  const found = isOpen(heads) ? Object.entries(heads) : null;
  if (version !== 1 || found === null) throw damaged(file);
  return new Map(
    found.map(([origin, head]) => {
      if (!isHead(head)) throw damaged(file);
      const { address, keys, seq, seal_hash, signer = null } = head;
      return [origin, { address, keys, seq, seal_hash, origin: head.origin, signer }];
    }),
  );
}

function damaged(file: string | null): Stop {
  const advice = "repair it, or name another one with --state";
  return new Stop(USAGE, `${file} is not a state file of cairn verify: ${advice}.`);
}

/** Replaces the head of one chain; the file is whole at every moment. */
export async function writeHead(file: string | null, origin: string, newest: Head): Promise<void> {
  if (file === null) return;
  const heads = (await readHeads(file)).set(origin, newest);
  const state = { version: 1, heads: Object.fromEntries(heads) };
  async function* text() {
    yield `${JSON.stringify(state, null, 2)}\n`;
  }
  await makeFolderOf(file);
  await writeWhole(file, text());
}
