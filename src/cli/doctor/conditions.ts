import { poolNow } from "../../domains/coin/overview.ts";
import { accountBalance } from "../../domains/coin/queries.ts";
import { lastOrder } from "../../domains/market/orders/restored-queries.ts";
import { runbookOf, sentenceOf } from "../../main/conditions/condition.ts";
import { CONDITIONS } from "../../main/conditions/conditions.ts";
import { figureLooks } from "../../main/listeners/health.ts";
import { poolLasts } from "../../main/measures/coin.ts";
import { marketMeasures } from "../../main/measures/market.ts";
import { upkeepMeasures } from "../../main/measures/upkeep.ts";
import { spaceAt } from "../../platform/db/sqlite/disk.ts";
import type { Snapshot } from "../../platform/db/table-copy.ts";
import { HOUR_S } from "../../platform/kernel/time.ts";
import { figuresOf } from "../../surfaces/operator/metrics.ts";
import type { Finding, Patient } from "./finding.ts";

type Opened = Patient & { readonly snapshot: Snapshot };

/** The conditions of alerts whose figures can be read without a service, however long they have lasted. */
export async function checkConditions(patient: Patient): Promise<Finding[]> {
  const { snapshot } = patient;
  if (snapshot === null) return [];
  const values = await figuresAtRest({ ...patient, snapshot });
  const now = nowSeconds();
  const raised = CONDITIONS.flatMap((condition): Finding[] => {
    const { about, advice, test } = condition;
    const known = { value: (figure: string) => values.get(figure), failed: () => 0, now };
    const value = test.wrong(known);
    if (value === null) return [];
    const text = sentenceOf(condition, value);
    return [{ about, state: "warning", text, advice: `${advice} See ${runbookOf(condition)}.` }];
  });
  const hasMarket = (await lastOrder.first(snapshot.read, {})) !== undefined;
  if (!hasMarket || raised.some(({ about }) => about === "market")) return raised;
  return [
    { about: "market", state: "ok", text: "Nothing has waited too long for you." },
    ...raised,
  ];
}

const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/** Figures by name, from the database and the files. */
async function figuresAtRest({ snapshot, configuration }: Opened) {
  const { read } = snapshot;
  const { escrowNanoAddress: escrowKey, marketPayWithin_h, databaseUrl, dataDir } = configuration;
  const pool = await accountBalance.first(read, { account: "reward_pool" });
  const settings = { escrowKey, payWithin_s: marketPayWithin_h * HOUR_S };
  const space = () => (databaseUrl === null ? spaceAt(dataDir) : null);
  const measures = [
    ...marketMeasures({ read, clock: { now: nowSeconds }, settings }),
    ...upkeepMeasures({ read, now: nowSeconds, space, configuration }),
    ...(pool === undefined
      ? []
      : [poolLasts(() => poolNow(read, BigInt(pool.balance), nowSeconds()))]),
  ];
  return figuresOf(measures, figureLooks()).known();
}
