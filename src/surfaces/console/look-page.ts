import * as z from "zod";
import { CSV_ROWS_MAX, csvOf } from "../../domains/operator/cells.ts";
import type { Look, Offered, Seen } from "../../domains/operator/look.ts";
import { LOOKS } from "../../domains/operator/looks/looks.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { type Html, html, type Part } from "../../platform/kernel/html.ts";
import type { Session } from "./access.ts";
import { actForms, bulkFormOf } from "./acts.ts";
import { actCommand, filterOf, PICKED, type Sent, valuesOf, wordsOf } from "./form.ts";
import { pageOf, TABS } from "./frame.ts";
import type { ConsoleParts } from "./parts.ts";
import { numbered, slugOf, tableOf, thingOf, withCommands } from "./view.ts";

const BY_PATH: ReadonlyMap<string, Look> = new Map(
  LOOKS.map((look) => [`look/${slugOf(look.name)}`, look]),
);

/** The id of the form of what is ticked. */
const BULK = "bulk";

/** A list as a file for other programs: as many rows as one question gives. */
export async function lookCsv(
  parts: ConsoleParts,
  path: string,
  query: Sent,
): Promise<{ readonly name: string; readonly text: string }> {
  const look = BY_PATH.get(path);
  if (look?.shows !== "list") throw new Rejection("not_found", "There is no such list.");
  const all = { ...query, limit: String(CSV_ROWS_MAX) };
  const read = valuesOf(look.input, all);
  const seen =
    "problem" in read ? read.problem : await seenBy(look, parts, { ...read, query: all });
  if (typeof seen === "string") throw new Rejection("validation_failed", seen);
  const [list] = seen.lists;
  const text = list === undefined ? "" : csvOf(list, seen.next);
  return { name: `${slugOf(look.name)}.csv`, text };
}

/** The page of a look: its filter, what there is to see, and what may be done to it. */
export async function lookPage(
  parts: ConsoleParts,
  session: Session,
  path: string,
  query: Sent,
): Promise<{ readonly status: number; readonly title: string; readonly main: Part }> {
  const look = BY_PATH.get(path);
  if (look === undefined)
    throw new Rejection("not_found", "The pages of the console are named above.");
  const page = pageOf(path)?.title ?? capitalised(look.name);
  const here = path + queryOf(query);
  const head = [
    tabsOf(page, here),
    look.about === undefined ? null : html`<p>${withCommands(look.about)}</p>`,
    look.shows === "thing" ? null : filterOf(look.name, look.input, query),
  ];
  const read = valuesOf(look.input, query);
  const seen =
    "problem" in read ? read.problem : await seenBy(look, parts, { values: read.values, query });
  const title = titleOf(page, seen);
  if (typeof seen === "string")
    return { status: 422, title, main: [...head, html`<p class="state bad">${seen}</p>`] };
  const now = parts.context.clock.now();
  const { thing, lists, next } = seen;
  const bulk = "values" in read && parts.mode === "act" ? (look.bulk?.(read.values) ?? null) : null;
  const ticks = bulk === null ? null : { name: PICKED, form: BULK, key: bulk.key };
  const isEmpty = lists.every(({ rows }) => rows.length === 0);
  const main = [
    ...head,
    thing === null ? null : thingOf(thing, now),
    lists.map((list) => [
      list.title === "" ? null : html`<h2>${list.title}</h2>`,
      tableOf(list, look.name, now, ticks),
    ]),
    next === null
      ? null
      : html`<p><a href="${path + queryOf({ ...query, ...onFrom(look, next) })}">More</a></p>`,
    look.shows === "thing" || isEmpty
      ? null
      : html`<p><a href="${`${path}.csv${queryOf(query)}`}" download>Download as CSV</a>, ${numbered(CSV_ROWS_MAX)} rows at most</p>`,
    bulk === null || isEmpty
      ? null
      : bulkFormOf(bulk.act, parts, session, {
          id: BULK,
          from: here,
          given: textsOf(bulk.given?.(lists.flatMap(({ rows }) => rows)) ?? {}),
        }),
    whatMayBeDone(parts, session, look, { thing, lists, here }),
  ];
  return { status: 200, title, main };
}

/** `Post 57`, or the name of the page that a list belongs to. */
function titleOf(page: string, seen: Seen | string): string {
  const thing = typeof seen === "string" ? null : seen.thing;
  const [first] = thing?.columns ?? [];
  if (thing === null || first === undefined) return page;
  const name = thing.row["handle"] ?? thing.row[first.key];
  const what = first.as === "word" ? name : thing.row[first.key];
  return `${capitalised(first.title)} ${what}`;
}

const capitalised = (words: string): string => `${words[0]?.toUpperCase()}${words.slice(1)}`;

/** A refusal of a look is a sentence: a name that nobody has, or filters that exclude each other. */
async function seenBy(
  look: Look,
  { context, wording, scan }: Pick<ConsoleParts, "context" | "wording" | "scan">,
  { values, query }: { readonly values: Readonly<Record<string, unknown>>; readonly query: Sent },
): Promise<Seen | string> {
  const { columns = [] } = look;
  try {
    if (scan === null || look.scans?.(values) !== true) return await look.see(context, values);
    const { rows, next } = scanned.parse(await scan(wordsOf(look, query)));
    return { thing: null, lists: [{ name: "rows", title: "", columns, rows }], next };
  } catch (error) {
    if (error instanceof Rejection && error.status < 500) return wording(error.message);
    throw error;
  }
}

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const scanned = z.object({
  rows: z.array(z.record(z.string(), cell)),
  next: z.number().nullable(),
});

const queryOf = (sent: Sent): string => {
  const given = Object.entries(sent).filter(([, value]) => value !== "");
  return given.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(given))}`;
};

/** The value by which a list goes on. */
const onFrom = ({ goesOn }: Look, next: number): Sent =>
  goesOn == null ? {} : { [goesOn]: String(next) };

function tabsOf(page: string, here: string): Html | null {
  const tabs = TABS[page];
  if (tabs === undefined) return null;
  return html`<ul class="tabs">${tabs.map(([title, to]) => html`<li><a href="${to}"${to === here ? html` aria-current="true"` : null}>${title}</a></li>`)}</ul>`;
}

/** Values as a form sends them. */
const textsOf = (given: Offered["given"]): Sent =>
  Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => (value == null ? [] : [[key, String(value)]])),
  );

/** Forms of its acts, or their commands where the console only reads; each begins with what the page shows. */
function whatMayBeDone(
  parts: ConsoleParts,
  session: Session,
  look: Look,
  { thing, lists, here }: Pick<Seen, "thing" | "lists"> & { readonly here: string },
): Part {
  const acts = look.acts?.({ row: thing?.row ?? {}, lists }) ?? [];
  if (acts.length === 0) return null;
  const forms = acts.map(({ act, given }) => {
    const sent = textsOf(given);
    if (parts.mode === "read") return actCommand(act, sent);
    return actForms([act], parts, session, { sent, from: here });
  });
  return html`<h2>What you can do</h2>${forms}`;
}
