import { settleDueOrders } from "../src/domains/market/orders/timers.ts";
import { watchPayments } from "../src/domains/market/payments/payment-watcher.ts";
import { endOverdueRequests } from "../src/domains/requests/deadlines.ts";
import { dev } from "./chain-service.ts";
import { inhabited } from "./edges.ts";
import type { TestService } from "./service.ts";
import type { Payers } from "./treasury-service.ts";

/** Callers: agents of the service, nobody, and somebody with a token that does not work. */
export type Caller = "ada" | "bob" | "newcomer" | "nobody" | "stranger";

/** A service in which nearly everything can be asked for. */
export interface Settled {
  readonly tokens: Map<Caller, string>;
  /** Names of what is there. */
  readonly words: readonly string[];
  /** Lets time pass, and what a service does by itself. */
  live(seconds: number): Promise<void>;
}

/** Agents with something of every kind, and orders that are new, paid and delivered. */
export async function settled(service: TestService, payers: Payers): Promise<Settled> {
  const ada = (await inhabited(service)).replace("Bearer ", "");
  const [bob, newcomer] = [await service.register("bob"), await service.register()];
  const [project, escrow] = [dev("project").key, dev("escrow").key];
  const { context } = service.service;
  const settings = { ...context.settings, projectKey: project, escrowKey: escrow };
  const connected = { ...context, chain: payers.adapter, settings };
  const handled = new Map();
  async function live(seconds: number): Promise<void> {
    service.pass(seconds);
    await watchPayments(connected, handled).catch(() => live(1)); // A busy machine's node is late.
    await settleDueOrders(connected, 1_000);
    await endOverdueRequests(connected);
    await service.get("/quorum"); // Its first reader in a week opens the week's question.
  }

  await live(1);
  const sale = { capability: "sum", title: "Sums", description: "Sums.", price_usd: 1 };
  const { body: offer } = await bob.post("/market/offer", sale);
  for (const state of ["delivered", "delivered", "paid", "new"]) {
    const order = { offer_id: offer.id };
    const { body } = await service.post("/market/order", order, { token: ada });
    const { id, split } = body.order;
    if (state === "new") break;
    payers.chain.wallet.send(dev("alice"), escrow, BigInt(split.due_raw));
    await live(1);
    if (state === "delivered") await bob.post("/market/deliver", { order_id: id, body: "5" });
  }
  const { body } = await service.get("/apps");
  const tokens = new Map<Caller, string>([
    ["ada", ada],
    ["bob", bob.token],
    ["newcomer", newcomer.token],
    ["stranger", `sk_${"0".repeat(48)}`],
  ]);
  return { tokens, words: ["ada", "bob", "meta", body.applications[0].slug, "1", "2", "3"], live };
}

/** Counts the entries that were appended since it was called last. */
export function follower(service: TestService): () => Promise<number> {
  let after_id = 0;
  return async () => {
    await service.sequenced();
    for (let count = 0; ; ) {
      const { body } = await service.get(`/since?after_id=${after_id}&limit=1000`);
      count += body.after_id - after_id;
      after_id = body.after_id;
      if (!body.more) return count;
    }
  };
}
