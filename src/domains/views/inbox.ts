import type * as z from "zod";
import type { Agent, Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import type { Why } from "../../platform/kernel/contract/entry-kind.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { startOf } from "../../platform/kernel/text.ts";
import { announcement } from "../../platform/ledger/entries.ts";
import { entriesByIds, idsAfter, idsBefore } from "../../platform/ledger/entry-queries.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";
import { demandPosition, epochAfter, type Restores } from "../../platform/ledger/seals/restores.ts";
import { isBackfilled } from "../inbox/backfill.ts";
import { doerOf, wantedBy } from "../inbox/concerns.ts";
import { partiesOf } from "../inbox/parties.ts";
import * as sql from "../inbox/queries.ts";
import { EXAMINED_MAX, ITEM_TEXT_MAX, UNREAD_COUNT_MAX } from "../inbox/rules.ts";
import { requestAccepted } from "../requests/entries.ts";
import type { views } from "./contract.ts";
import { linkOf, thingIn } from "./links.ts";
import { type Texts, textsOf } from "./texts/texts.ts";

type Answer = z.output<typeof views.inbox.output>;
type Item = Answer["items"][number];
type Input = z.output<typeof views.inbox.input>;
type Reader = Pick<Context, "read" | "clock" | "ledgerSignal"> &
  Rejects<"position_ahead"> & { readonly agent: Agent };

interface Row {
  readonly ledger_id: number;
  readonly why: Why;
}

/** What one look at an inbox found. */
interface Page {
  /** In the order of reading. */
  readonly items: readonly Item[];
  readonly more: boolean;
  /** The last row that was examined, shown or not; null when there was none. */
  readonly examined_id: number | null;
}

/** Where an inbox is read, and what of it. */
interface Question {
  readonly agent: number;
  readonly after_id?: number | undefined;
  readonly before_id?: number | undefined;
  readonly why: ReadonlySet<Why> | undefined;
  readonly limit: number;
  /** Later items are for the next look: `after_id` of the answer would bring them again. */
  readonly head: number;
}

/**
 * What concerns the caller, keyed by ledger id (docs/reference/inbox.md). Nothing is marked: the client
 * keeps two integers. The head is read before the look-up, so a reader that goes on behind it misses
 * nothing.
 */
export const inboxOf =
  (restores: Restores) =>
  (context: Reader, input: Input): Promise<Answer> =>
    showInbox(context, input, restores);

async function showInbox(context: Reader, input: Input, restores: Restores): Promise<Answer> {
  const { read, clock, agent, ledgerSignal } = context;
  const { limit, wait, why, before_id } = input;
  const until = clock.now() + wait;
  const known = input.after_message_id ?? (await newestMessage(read, agent.id));
  let after_id = input.after_id;
  for (;;) {
    const head = (await ledgerHead.first(read, {}))?.last_id ?? 0;
    const past = await restores(read, head);
    demandPosition(context, input, { head_id: head, restores: past });
    const epoch = epochAfter(past);
    const message_id = await newestMessage(read, agent.id);
    const page = await pageOf(read, { agent: agent.id, after_id, before_id, why, limit, head });
    const left_s = until - clock.now();
    const isOver = page.items.length > 0 || message_id > known || left_s <= 0 || page.more;
    if (isOver || before_id !== undefined)
      return answerOf(read, agent, {
        page,
        head,
        epoch,
        message_id: Math.max(message_id, known),
        input,
      });
    after_id = Math.max(head, after_id ?? 0);
    const news = { agent: agent.id, after_id, after_message_id: known };
    const hasCome = await ledgerSignal.waitForConcern(news, left_s);
    if (!hasCome)
      return answerOf(read, agent, { page, head: after_id, epoch, message_id: known, input });
  }
}

interface Looked {
  readonly page: Page;
  readonly head: number;
  readonly epoch: number;
  readonly message_id: number;
  readonly input: Input;
}

async function answerOf(
  read: Db,
  agent: Agent,
  { page, head, epoch, message_id, input }: Looked,
): Promise<Answer> {
  const { items: found, more, examined_id } = page;
  const isNewest = input.after_id === undefined && input.before_id === undefined;
  const items = isNewest ? found.toReversed() : [...found];
  const last_id = isNewest ? (items.at(-1)?.id ?? examined_id) : examined_id;
  const [unread, complete] = await Promise.all([
    sql.unreadUpTo.first(read, { recipient: agent.id, max: UNREAD_COUNT_MAX }),
    isBackfilled(read),
  ]);
  return {
    items,
    count: items.length,
    after_id: more && last_id !== null ? last_id : Math.max(head, input.after_id ?? 0),
    after_message_id: message_id,
    epoch,
    more,
    latest_id: head,
    unread_messages: unread?.n ?? 0,
    complete,
  };
}

async function newestMessage(read: Db, agent: number): Promise<number> {
  const news = await sql.newestOf.first(read, { agents: JSON.stringify([agent]) });
  return news?.message_id ?? 0;
}

/** Rows that are read at once. */
const STEP_MAX = EXAMINED_MAX / 10;
/** Rows whose entries and texts are read at once, unless a page has more. */
const ITEMS_AT_ONCE_MAX = 128;

/**
 * Reads until the page is full, the inbox ends, or so many rows were examined. Each look takes more rows than
 * the one before: where senders are blocked, a small page would else take thousands of queries.
 */
async function pageOf(read: Db, question: Question): Promise<Page> {
  const { agent, why, limit } = question;
  const isForward = question.after_id !== undefined;
  const blocked = new Set(
    (await sql.blockedBy.all(read, { recipient: agent })).map(({ sender }) => sender),
  );
  const items: Item[] = [];
  let place = question.after_id ?? question.before_id;
  let examined_id: number | null = null;
  let step = why === undefined ? limit + 1 : STEP_MAX;
  let size = limit + 1;
  for (let examined = 0; examined < EXAMINED_MAX; ) {
    const found = await rowsFrom(read, question, { place, step, isForward });
    const rows = found.filter(({ ledger_id }) => ledger_id <= question.head);
    const wanted = rows.filter((row) => why === undefined || why.has(row.why));
    for (let from = 0, end = 0; from < wanted.length; from = end) {
      end = from + size;
      for (const item of await itemsOf(read, wanted.slice(from, end), blocked)) {
        if (items.length === limit) return { items, more: true, examined_id };
        items.push(item);
        examined_id = item.id;
      }
      size = Math.max(size, Math.min(2 * size, ITEMS_AT_ONCE_MAX));
    }
    examined += found.length;
    place = (isForward ? rows : found).at(-1)?.ledger_id ?? place;
    examined_id = place ?? examined_id;
    if (found.length < step || (isForward && rows.length < found.length))
      return { items, more: false, examined_id };
    step = Math.max(step, Math.min(2 * step, STEP_MAX));
  }
  return { items, more: true, examined_id };
}

/** Rows of the inbox and announcements, in the order of reading, `step` at most. */
async function rowsFrom(
  read: Db,
  { agent, why }: Question,
  at: { readonly place: number | undefined; readonly step: number; readonly isForward: boolean },
): Promise<readonly Row[]> {
  const { place, step: limit, isForward } = at;
  const range = isForward ? { after_id: place, limit } : { before_id: place, limit };
  const own = isForward ? sql.itemsAfter : sql.itemsBefore;
  const everybodys = isForward ? idsAfter : idsBefore;
  const hasNone = why !== undefined && !why.has("announcement");
  const [mine, announced] = await Promise.all([
    own.all(read, { agent, ...range }),
    hasNone ? [] : everybodys.all(read, { kind: announcement.kind, ...range }),
  ]);
  const rows = announced.map(({ ledger_id }): Row => ({ ledger_id, why: "announcement" }));
  const direction = isForward ? 1 : -1;
  return [...mine, ...rows].sort((a, b) => direction * (a.ledger_id - b.ledger_id)).slice(0, limit);
}

/** The items of rows, in their order, without those that blocked agents have caused. */
async function itemsOf(
  read: Db,
  rows: readonly Row[],
  blocked: ReadonlySet<number>,
): Promise<readonly Item[]> {
  if (rows.length === 0) return [];
  const ids = JSON.stringify(rows.map(({ ledger_id }) => ledger_id));
  const entries = (await entriesByIds.all(read, { ids })).map((entry) => ({
    ...entry,
    body: JSON.parse(entry.body),
  }));
  const parties = await partiesOf(read, wantedBy(entries));
  const doers = [...new Set(entries.flatMap((entry) => doerOf(entry, parties) ?? []))];
  const [texts, agents] = await Promise.all([
    textsOf(read, entries),
    sql.agentsOf.all(read, { agents: JSON.stringify(doers) }),
  ]);
  const agentOf = new Map(agents.map((agent) => [agent.id, agent]));
  const entryOf = new Map(entries.map((entry) => [entry.ledger_id, entry]));
  return rows.flatMap(({ ledger_id, why }) => {
    const entry = entryOf.get(ledger_id);
    if (entry === undefined) return [];
    const { kind, ref, at, body } = entry;
    const from = agentOf.get(doerOf(entry, parties) ?? 0);
    if (from !== undefined && blocked.has(from.id) && !movesMoney(kind, why)) return [];
    return {
      id: ledger_id,
      kind,
      ref,
      at,
      why,
      from: from === undefined ? null : { agent_id: from.agent_id, handle: from.handle },
      body: shownBody(body),
      ...shortened(texts.get(ledger_id) ?? {}),
      flagged: typeof body.flagged === "string" ? body.flagged : null,
      link: thingIn(entry) ?? linkOf(entry),
      verified: false as const,
    };
  });
}

/** An agent is told of its own money, even by one that it has blocked. */
const movesMoney = (kind: string, why: Why): boolean =>
  why === "order" || kind === requestAccepted.kind;

/** The facts of an entry as reads show them: amounts in coins and dollars, and a flag beside the texts. */
function shownBody({ flagged: _, ...body }: Item["body"]): Item["body"] {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) =>
      name.endsWith(MICRO) && typeof value === "number"
        ? [name.slice(0, -MICRO.length), value / MICRO_PER_UNIT]
        : [name, value],
    ),
  );
}

const MICRO = "_micro";
const MICRO_PER_UNIT = 1_000_000;

/** Texts with 280 code points at most, and whether any was longer. */
function shortened(texts: Texts): Pick<Item, "text" | "cut"> {
  let cut = false;
  const short = (text: string): string => {
    const start = startOf(text, ITEM_TEXT_MAX);
    cut ||= start.length < text.length;
    return start;
  };
  const text = Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [
      name,
      typeof value === "string" ? short(value) : value.map(short),
    ]),
  );
  return { text, cut };
}
