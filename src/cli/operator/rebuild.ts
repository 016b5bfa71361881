import * as z from "zod";
import { recountThreads } from "../../domains/feed/threads.ts";
import { emptyInboxes, fillInboxes } from "../../domains/inbox/backfill.ts";
import { countItems, progress } from "../../domains/inbox/queries.ts";
import { oneOf } from "../../domains/operator/values.ts";
import { forgetIndex, indexNew } from "../../domains/search/indexing.ts";
import { countIndexed } from "../../domains/search/queries.ts";
import type { Service } from "../../main/service/open-service.ts";
import { ledgerHead } from "../../platform/ledger/queries.ts";
import { countedLong } from "../command/counted.ts";
import { operatorCommand } from "./operator-command.ts";

const yieldToRequests = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Makes a derived table again; resolves to the entries that were read and the rows that came of them. */
const REBUILDS = {
  async inbox({ context, store }: Service) {
    await store.write(emptyInboxes);
    await fillInboxes({ ...context, yieldToRequests });
    const [reached, counted] = await Promise.all([
      progress.first(store.read, {}),
      countItems.first(store.read, {}),
    ]);
    return { entries: reached?.to_id ?? 0, items: counted?.items ?? 0 };
  },
  async threads({ store }: Service) {
    const items = await store.write(recountThreads);
    return { entries: (await ledgerHead.first(store.read, {}))?.last_id ?? 0, items };
  },
  async search({ context, store }: Service) {
    await forgetIndex(context);
    const entries = await indexNew({ ...context, yieldToRequests });
    const counted = await countIndexed.first(store.read, {});
    return { entries, items: counted?.items ?? 0 };
  },
} as const;

export const REBUILD_COMMANDS = [
  operatorCommand({
    name: "rebuild",
    summary: "make a derived table again from the ledger",
    about:
      "inbox: the items of every agent. Readers see `complete: false` meanwhile.\nsearch: the index of words; searches find what is indexed so far.\nthreads: the replies counted of each post, in one write. The service may run.",
    input: z.object({ what: oneOf("inbox", "search", "threads").describe("the table") }),
    operands: ["what"],
    async run({ service, values: { what } }) {
      const { entries, items } = await REBUILDS[what](service);
      return {
        text: `rebuilt ${what}: ${countedLong(entries, "entry")}, ${countedLong(items, "item")}`,
        facts: { what, entries, items },
      };
    },
  }),
];
