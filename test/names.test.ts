import { fillService } from "./full-service.ts";
import { matchesGoldenJson } from "./golden.ts";
import { readLedger } from "./invariants.ts";
import { eachMarket } from "./market-service.ts";

eachMarket("the names of the entries of each kind are the golden ones", async (market) => {
  await fillService(market);
  await market.sequenced();
  const entries = await readLedger(market);
  const agents = entries.filter(({ kind }) => kind === "agent").map(({ ref }) => ref);
  // Identifiers of agents and hashes of the dev chain are drawn at random.
  const stable = (ref: string): string =>
    ref
      .replace(/ag_\w+/, (drawn) => `ag_${agents.indexOf(drawn)}`)
      .replace(/\b[0-9A-Fa-f]{64}\b/, "hash");
  const ofKinds = Map.groupBy(entries, ({ kind }) => kind);
  const names = [...ofKinds].map(([kind, of]) => [kind, of.map(({ ref }) => stable(ref)).sort()]);
  matchesGoldenJson("names.json", Object.fromEntries(names.sort()));
});
