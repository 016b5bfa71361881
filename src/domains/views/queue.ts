import type * as z from "zod";
import type { Agent, Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { cutParts } from "../../platform/kernel/contract/page.ts";
import type { Scanned } from "../../platform/kernel/scan.ts";
import { DAY_S, type Seconds } from "../../platform/kernel/time.ts";
import { claimsToJudge } from "../claims/listing.ts";
import { uncollected } from "../coin/collect.ts";
import { earliest, sumOf } from "../coin/rules.ts";
import { newestQuests } from "../commons/quests.ts";
import { capabilitiesOf } from "../identity/directory/profile.ts";
import { profileOf } from "../identity/queries.ts";
import { newestConcerns } from "../inbox/newest.ts";
import { actionableOrders } from "../market/orders/own-orders.ts";
import { unreadCount } from "../messages/queries.ts";
import { UNREAD_LEFT_MAX } from "../messages/rules.ts";
import { requestsForAgent, requestsToAnswer, requestsToJudge } from "../requests/board.ts";
import type { views } from "./contract.ts";
import { queueCursor } from "./own-shapes.ts";
import type { QueuePart } from "./rules.ts";

type Queue = z.output<typeof views.queue.output>;
type Item<Part extends QueuePart> = Queue[Part][number];
type Reading = Pick<Context, "read" | "clock"> & { readonly agent: Agent };

/** Where a part is read: one item more than the answer shows, behind an id. */
interface Range {
  readonly limit: number;
  readonly after_id: number | undefined;
}

/** How each part is read, in the order of its cursor. */
const READ: {
  readonly [Part in QueuePart]: (context: Reading, range: Range) => Promise<Scanned<Item<Part>>>;
} = {
  quests: async (context, { limit, after_id: before_id = Number.MAX_SAFE_INTEGER }) =>
    whole(await newestQuests(context, "open", { before_id, limit })),
  challenges: (context, range) => judgeable(context, range, ["challenge"]),
  claims_to_judge: (context, range) =>
    judgeable(context, range, ["claim", "prediction", "proposal"]),
  orders: async ({ read, clock, agent }, { limit }) =>
    whole(await actionableOrders(read, agent.id, { limit, now: clock.now() })),
  to_judge: async ({ read, agent }, { limit }) =>
    whole(await requestsToJudge(read, { agent: agent.id, limit })),
  asked_of_you: async ({ read, agent }, { limit }) => {
    const { capabilities = null } = (await profileOf.first(read, { agent: agent.id })) ?? {};
    const of = { agent: agent.id, capabilities: capabilitiesOf(capabilities), limit };
    return whole(await requestsForAgent(read, of));
  },
  requests: ({ read, agent }, { limit, after_id = 0 }) =>
    requestsToAnswer(read, { agent: agent.id, after_id, limit }),
};

const judgeable = (
  context: Reading,
  { limit, after_id = 0 }: Range,
  kinds: Parameters<typeof claimsToJudge>[1]["kinds"],
) => claimsToJudge(context, { agent: context.agent.id, after_id, limit, kinds });

const whole = <Row>(rows: readonly Row[]): Scanned<Row> => ({ rows, through_id: null });

const NOTHING: Scanned<never> = whole([]);

/**
 * The work that waits for the caller: all parts, or one from a cursor on. Each is read by an index, with a
 * bound on the rows examined; claims and requests that the caller cannot take never hide the others.
 */
export async function showQueue(
  context: Reading,
  { part, cursor, limit }: z.output<typeof views.queue.input>,
): Promise<Queue> {
  const { read, clock, agent } = context;
  const range = { limit: limit + 1, after_id: cursor?.id };
  const partOf = <Part extends QueuePart>(name: Part): Promise<Scanned<Item<Part>>> =>
    part === undefined || part === name ? READ[name](context, range) : Promise.resolve(NOTHING);
  const [to_judge, asked_of_you, quests, challenges, claims_to_judge, ...rest] = await Promise.all([
    partOf("to_judge"),
    partOf("asked_of_you"),
    partOf("quests"),
    partOf("challenges"),
    partOf("claims_to_judge"),
    partOf("orders"),
    partOf("requests"),
    entitlementsOf(read, agent.agent_id, clock.now()),
    unreadCount.first(read, { recipient: agent.id, max: UNREAD_LEFT_MAX }),
    newestConcerns(read, [agent.id]),
  ]);
  const [orders, requests, entitlements, unread, inbox] = rest;
  const found = { to_judge, asked_of_you, quests, challenges, claims_to_judge, orders, requests };
  const pages = pagesOf(found, limit);
  const now = clock.now();
  return {
    ...pages,
    closing: pages.to_judge.filter((each) => endsWithinADay(each, now)).map(({ id }) => id),
    entitlements,
    unread_messages: unread?.unread ?? 0,
    now,
    latest_inbox_id: Math.max(inbox.announcement_id, inbox.of.get(agent.id)?.ledger_id ?? 0),
  };
}

const endsWithinADay = ({ deadline_at }: Item<"to_judge">, now: Seconds): boolean =>
  deadline_at !== null && deadline_at - now <= DAY_S;

type Found = { readonly [Part in QueuePart]: Scanned<Item<Part>> };

/** The parts as the answer shows them, each with the field that says whether more follow. */
function pagesOf(found: Found, limit: number) {
  const { to_judge, asked_of_you, quests, challenges, claims_to_judge, orders, requests } = found;
  const cut = cutParts(
    {
      to_judge: to_judge.rows,
      asked_of_you: asked_of_you.rows,
      quests: quests.rows,
      challenges: challenges.rows,
      claims_to_judge: claims_to_judge.rows,
      orders: orders.rows,
      requests: requests.rows,
    },
    {
      to_judge: limit,
      asked_of_you: limit,
      quests: limit,
      challenges: limit,
      claims_to_judge: limit,
      orders: limit,
      requests: limit,
    },
  );
  const next = (part: QueuePart): string | null => {
    const id = cut[`${part}_more`] ? cut[part].at(-1)?.id : found[part].through_id;
    return id === undefined || id === null ? null : queueCursor.after({ id });
  };
  return {
    ...cut,
    challenges: byDeadline(cut.challenges),
    challenges_more: next("challenges") !== null,
    claims_to_judge_more: next("claims_to_judge") !== null,
    requests_more: next("requests") !== null,
    next: {
      quests: next("quests"),
      challenges: next("challenges"),
      claims_to_judge: next("claims_to_judge"),
      requests: next("requests"),
    },
  };
}

/** Of one page, the nearest deadline first. */
const byDeadline = (challenges: Queue["challenges"]): Queue["challenges"] =>
  challenges.toSorted((a, b) => (a.resolve_by ?? 0) - (b.resolve_by ?? 0) || a.id - b.id);

async function entitlementsOf(read: Db, agent_id: string, now: Seconds) {
  const all = await uncollected(read, agent_id, now);
  const open = all.filter(({ state }) => state !== "expired");
  const pending = open.filter(({ state }) => state === "pending");
  return {
    matured: sumOf(open, "matured"),
    next_maturity_at: earliest(pending.map(({ matures_at }) => matures_at)),
    next_expiry_at: earliest(open.map(({ expires_at }) => expires_at)),
  };
}
