import { contracts } from "../../src/domains/contracts.ts";
import type { handlersOf } from "../../src/domains/handlers.ts";
import type { Agent, Context } from "../../src/platform/context.ts";
import { domain, type HandlersOf } from "../../src/platform/kernel/contract/operation.ts";
import { bind } from "../../src/surfaces/dispatch/registry.ts";

type All = ReturnType<typeof handlersOf>;

/** Lines that must not compile: `tsc` says so when one of them has no error any more. */
export function refused({ feed, ...others }: All): void {
  bind(contracts, { ...others, feed });

  // @ts-expect-error The contracts have a domain without handlers.
  bind(contracts, others);
  // @ts-expect-error A domain has handlers and no contract.
  bind(contracts, { ...others, feed, polls: feed });
  // @ts-expect-error A domain has the handlers of another.
  bind(contracts, { ...others, feed: others.claims });

  const { post, ...reading } = feed;
  // @ts-expect-error An operation has no handler.
  bind(contracts, { ...others, feed: reading });
  // @ts-expect-error A handler has no operation.
  bind(contracts, { ...others, feed: { ...reading, post, react: post } });

  const more = { ...contracts, polls: contracts.feed };
  // @ts-expect-error A line in the contracts alone.
  const without: HandlersOf<typeof more, Context, Agent> = { ...others, feed };
  // @ts-expect-error A line in the handlers alone.
  const alone: All = { ...without, polls: feed };
  void alone;

  const { list } = contracts.feed;
  bind({ polls: domain({ summary: "Polls.", operations: { list } }) }, { polls: feed });
  // @ts-expect-error A contract says in a sentence what it is about.
  bind({ polls: { list } }, { polls: feed });
}
