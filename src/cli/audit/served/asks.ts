import { LIST_LIMIT_MAX } from "../../../kernel/contract/ids.ts";
import { SUBMISSIONS_SHOWN_MAX } from "../../../tasks/rules.ts";
import type { Shown } from "./compare/rule.ts";
import type { Ledger } from "./ledger.ts";
import type { Sample } from "./reading/sample.ts";

/** What a route is asked for, of a ledger and as much of it as is looked at. */
export type Asks = (ledger: Ledger, sample: Sample, agent_id: string) => readonly Shown[];

export const once: Asks = () => [{}];

/** The longest page of a list that is not read on. */
export const list: Asks = () => [{ limit: LIST_LIMIT_MAX }];

/** Each object of a table by its id. */
export const each =
  (table: string): Asks =>
  (ledger, sample) =>
    sample.of(table, ledger.ids(table)).map((id) => ({ id }));

/** The longest page of a list that belongs to each object of a table. */
export const listOf =
  (table: string): Asks =>
  (ledger, sample) =>
    sample.of(table, ledger.ids(table)).map((id) => ({ id, limit: LIST_LIMIT_MAX }));

/** Each agent by its name. */
export const agents: Asks = (ledger, sample) =>
  sample.of("agent", ledger.names("agent")).map((agent_id) => ({ agent_id }));

/** All pages of a list that is read on by ids. */
export const pages =
  (idsIn: (ledger: Ledger) => readonly number[]): Asks =>
  (ledger, sample) => {
    const ids = idsIn(ledger);
    return [
      { limit: LIST_LIMIT_MAX },
      ...sample
        .pages(ids, LIST_LIMIT_MAX)
        .map((before_id) => ({ limit: LIST_LIMIT_MAX, before_id })),
    ];
  };

export const pagesOf = (table: string): Asks => pages((ledger) => ledger.ids(table));

/** Each task, with all pages of its submissions. */
export const submissions: Asks = (ledger, sample) =>
  sample.of("task", ledger.ids("task")).flatMap((task_id) => {
    const ids = ledger.idsBy("task_submission", "task", task_id);
    const limit = SUBMISSIONS_SHOWN_MAX;
    const later = sample.pages(ids, limit).map((before_id) => ({ task_id, limit, before_id }));
    return [{ task_id, limit }, ...later];
  });

/** The list of an agent's orders, and each of them. */
export const ownOrders: Asks = (ledger, sample, agent_id) => {
  const of = (party: string) => ledger.idsBy("market_order", party, agent_id);
  const ids = [...of("buyer"), ...of("seller")].sort((a, b) => a - b);
  return [
    { limit: LIST_LIMIT_MAX },
    ...sample.of("own orders", ids).map((id) => ({ id, limit: LIST_LIMIT_MAX })),
  ];
};
