import { SUBMISSIONS_SHOWN_MAX } from "../../../domains/tasks/rules.ts";
import { LIST_LIMIT_MAX } from "../../../platform/kernel/contract/ids.ts";
import type { Operation } from "../../../platform/kernel/contract/operation.ts";
import type { Filled } from "./filling.ts";
import type { Shown } from "./lists.ts";
import type { Sample } from "./reading/sample.ts";
import { FIGURES, NOT_ASKED, OWN, ROUTES, type Route } from "./routes.ts";
import { definitionsOf, wordsOf } from "./schemas.ts";

/** What a read is asked for. */
export interface Asked extends Route {
  readonly asked: Shown;
  /** With the agent's token. */
  readonly isOwn: boolean;
}

/** The rows of which a path names one, by its first words. */
const NAMED: Readonly<Record<string, string>> = {
  post: "post",
  repo: "repository",
  commit: "repository_commit",
  app: "app",
  claim: "claim",
  verdict: "verdict",
  request: "request",
  answer: "request_answer",
  tasks: "task",
  submission: "task_submission",
  transfer: "coin_transfer",
  contribution: "contribution",
  "market/offer": "market_offer",
  quest: "quest",
  announcement: "announcement",
};

/** Rising ids before which pages of a list begin. */
const PAGED: Readonly<Record<string, string>> = {
  "treasury.contributions": "SELECT id FROM contribution",
  "market.offers": "SELECT id FROM market_offer",
  "market.ledger": "SELECT ledger_id AS id FROM market_entry",
  "coin.ledger": "SELECT DISTINCT ledger_id AS id FROM coin_entry_agent",
};

/** What filters of lists are asked for, beside the words that the contract has for them. */
const FILTERS: Readonly<Record<string, string>> = {
  agent: "SELECT agent_id AS value FROM agent ORDER BY id",
  topic: "SELECT topic AS value FROM topic ORDER BY last_posted_at",
  reply_to: "SELECT post AS value FROM thread WHERE replies > 0 ORDER BY post",
  order_id: "SELECT id AS value FROM market_order ORDER BY id",
  max_usd: "SELECT price_usd_micro / 1000000 AS value FROM market_offer ORDER BY id",
  open: "SELECT 1 AS value",
  wanted: "SELECT 1 AS value",
};

const takes = ({ input }: Operation, field: string): boolean => Object.hasOwn(input.shape, field);

/** Everything that is asked of the service, of the ledger as it is now. */
export function questionsOf(filled: Filled, sample: Sample, me: string | null): readonly Asked[] {
  const all = (sql: string, ...values: string[]) =>
    filled.connection.database.prepare(sql).all(...values);
  const ids = (sql: string, ...values: string[]) =>
    all(`${sql} ORDER BY id`, ...values).map(({ id }) => Number(id));

  /** A list that is a read of its own: its first page, further ones by ids, and filtered ones. */
  function listAsked({ name, operation }: Route): readonly Shown[] {
    if (!takes(operation, "limit")) return [{}];
    const limit = LIST_LIMIT_MAX;
    const paged = PAGED[name];
    const pages = paged === undefined ? [] : sample.pages(ids(paged), limit);
    const filtered = Object.keys(operation.input.shape).flatMap((field) =>
      valuesOf(operation, field).map((value) => ({ limit, [field]: value })),
    );
    return [{ limit }, ...pages.map((before_id) => ({ limit, before_id })), ...filtered];
  }

  function valuesOf({ input }: Operation, field: string): readonly unknown[] {
    const schema = input.shape[field];
    const words = schema === undefined ? null : wordsOf(definitionsOf(schema));
    if (words !== null) return words;
    const sql = FILTERS[field];
    return sql === undefined ? [] : ends(all(sql).map(({ value }) => value));
  }

  /** A read of one thing: each that its path names. */
  function namedAsked({ operation }: Route): readonly Shown[] {
    const [before = "", parameter = ""] = operation.path.slice(1).split(/\/?[{}]\/?/);
    if (parameter === "agent_id")
      return sample
        .of(
          "agent",
          all("SELECT agent_id FROM agent ORDER BY id").map(({ agent_id }) => agent_id),
        )
        .map((agent_id) => ({ agent_id }));
    const table = NAMED[before] ?? before;
    const limit = takes(operation, "limit") ? { limit: limitOf(operation) } : {};
    return sample.of(table, ids(`SELECT id FROM ${table}`)).flatMap((id) => {
      const asked = { [parameter]: id, ...limit };
      if (!takes(operation, "before_id")) return [asked];
      const inside = ids("SELECT id FROM task_submission WHERE task = ?", `${id}`);
      const later = sample.pages(inside, limitOf(operation));
      return [asked, ...later.map((before_id) => ({ ...asked, before_id }))];
    });
  }

  function ownAsked({ name }: Route): readonly Shown[] {
    if (name !== "market.get") return [{}];
    const number = String(filled.numberOf(me ?? ""));
    const orders = ids("SELECT id FROM market_order WHERE buyer = ?1 OR seller = ?1", number);
    const limit = LIST_LIMIT_MAX;
    return [{ limit }, ...sample.of("own orders", orders).map((id) => ({ id, limit }))];
  }

  return ROUTES.flatMap((route): readonly Asked[] => {
    const { name, operation } = route;
    if (operation.method !== "GET" || Object.hasOwn(NOT_ASKED, name)) return [];
    const isOwn = Object.hasOwn(OWN, name);
    if (isOwn ? me === null : FIGURES.has(name)) return [];
    const asks = isOwn ? ownAsked : operation.path.includes("{") ? namedAsked : listAsked;
    return asks(route).map((asked) => ({ ...route, asked, isOwn }));
  });
}

const limitOf = ({ path }: Operation): number =>
  path.startsWith("/tasks/") ? SUBMISSIONS_SHOWN_MAX : LIST_LIMIT_MAX;

/** Of many values the first and the last one. */
const ends = <T>(all: readonly T[]): readonly T[] =>
  all.length < 3 ? all : [...all.slice(0, 1), ...all.slice(-1)];
