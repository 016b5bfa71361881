import type { Db } from "../../platform/db/engine.ts";
import type { Found, SearchKind } from "../../platform/kernel/contract/entry-kind.ts";
import { ENTRY_KINDS } from "../entries.ts";
import { capabilitiesOf } from "../identity/directory/profile.ts";
import { pathsOf as filePaths } from "../repositories/files/queries.ts";
import { slices } from "../repositories/files/slices.ts";
import { type Texts, textsOf } from "../views/texts/texts.ts";
import * as sql from "./queries.ts";

/** The things that a search finds, by the kind of the entry that stands for each. */
const thingOf: ReadonlyMap<string, Found> = new Map(
  ENTRY_KINDS.flatMap(({ kind, readers }) =>
    readers?.found === undefined ? [] : [[kind, readers.found]],
  ),
);

/** An entry with its place in the ledger, as it is stored. */
export interface StoredEntry {
  readonly ledger_id: number;
  readonly kind: string;
  readonly ref: string;
}

/** The public texts of a thing, as they are now. */
export interface Item {
  readonly kind: SearchKind;
  readonly title: string | null;
  readonly excerpt: string;
  /** Everything whose words count. */
  readonly text: string;
}

/**
 * The things behind entries, by ledger id. Entries that stand for nothing that can be found have none,
 * nor have things that are hidden, withdrawn or emptied.
 */
export async function itemsOf(
  read: Db,
  entries: readonly StoredEntry[],
): Promise<ReadonlyMap<number, Item>> {
  const found = entries.flatMap((entry) => {
    const thing = thingOf.get(entry.kind);
    return thing === undefined ? [] : { ...entry, thing };
  });
  const [texts, paths] = await Promise.all([textsOf(read, found), pathsOf(read, found)]);
  const items = new Map<number, Item>();
  const show = async ({ ledger_id, ref, thing }: (typeof found)[number]): Promise<void> => {
    const text = thing.as === "agent" ? await agentTexts(read, ref) : texts.get(ledger_id);
    if (text === undefined) return;
    const own = thing.as === "commit" ? (paths.get(Number(ref)) ?? []) : [];
    items.set(ledger_id, itemOf(thing, { ...text, paths: own }));
  };
  await Promise.all(found.map(show));
  return items;
}

function itemOf({ as: kind, title, texts }: Found, text: Texts): Item {
  const [excerpt = "", ...rest] = texts.map((name) => [text[name] ?? []].flat().join(" "));
  return {
    kind,
    title: title === null ? null : [text[title] ?? []].flat().join(" ") || null,
    excerpt,
    text: [excerpt, ...rest].join(" "),
  };
}

/** The paths that commits changed, by commit. */
async function pathsOf(
  read: Db,
  found: readonly { readonly kind: string; readonly ref: string }[],
): Promise<ReadonlyMap<number, string[]>> {
  const ids = found.flatMap(({ kind, ref }) => (kind === "repo_commit" ? [Number(ref)] : []));
  const paths = new Map<number, string[]>();
  const step = slices();
  for (let from = 0; from < ids.length; from += COMMITS_PER_READ) {
    const some = JSON.stringify(ids.slice(from, from + COMMITS_PER_READ));
    const rows = await filePaths.all(read, { ids: some });
    for (const [id, files] of Map.groupBy(rows, ({ commit_id }) => commit_id))
      paths.set(
        id,
        files.map(({ path }) => path),
      );
    await step(rows.length / ROWS_PER_PIECE);
  }
  return paths;
}

/** Commits whose paths are read at once, and the rows that count as a piece of work. */
const COMMITS_PER_READ = 16;
const ROWS_PER_PIECE = 4;

/** What an agent says of itself now. */
async function agentTexts(read: Db, agent_id: string): Promise<Texts | undefined> {
  const row = await sql.agentItem.first(read, { agent_id });
  if (row === undefined) return undefined;
  const { handle, name, purpose, capabilities } = row;
  return {
    handle: handle ?? [],
    name: name ?? [],
    purpose: purpose ?? [],
    capabilities: capabilitiesOf(capabilities),
  };
}
