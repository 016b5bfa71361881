import { currentLog } from "../../domains/tlog/log.ts";
import { genesisOf } from "../../platform/ledger/seals/keys.ts";
import type { Finding, Patient } from "./finding.ts";

const about = "log";

/** Whether strangers, who know no Cairn, can follow the ledger of a public network. */
export async function checkPublicLog({ configuration, snapshot }: Patient): Promise<Finding[]> {
  if (configuration.protection !== "public" || snapshot === null) return [];
  if ((await genesisOf(snapshot.read)) === undefined) return [];
  const log = await currentLog(snapshot.read);
  if (log !== null) return [{ about, state: "ok", text: `The public log is ${log.origin}.` }];
  const text = "This public network has no public log: only readers who know Cairn can follow it.";
  return [{ about, state: "warning", text, advice: "cairn log init: see docs/reference/log.md." }];
}
