import { currentLog } from "../../domains/tlog/log.ts";
import { publishWitnessed } from "../../domains/tlog/published.ts";
import { published } from "../../domains/tlog/queries.ts";
import { cosignatureThinning } from "../../domains/tlog/thinning.ts";
import type { Refusal } from "../../domains/tlog/witness-answer.ts";
import { type Asking, witnessRounds } from "../../domains/tlog/witnesses.ts";
import type { Alarm } from "../../platform/kernel/alarms.ts";
import type { Service } from "../service/open-service.ts";
import { isLocalOrigin } from "../service/witness-parts.ts";
import type { Job } from "./jobs.ts";

const ASKING_EVERY_MS = 1_000;
const LISTS_EVERY_MS = 3_600_000;

const LOCAL =
  "The origin names this machine alone, so no witness is asked and no checkpoint is published.";

/** Asks the witnesses of the log, on the node that has its key; nothing else ever waits for them. */
export function witnessJobs(service: Service): readonly Job[] {
  const { upkeep, logSigner, witnesses, alarm, context } = service;
  const { policy } = witnesses;
  if (policy === null || policy.witnesses.length === 0) return [];
  const rounds = witnessRounds();
  const asking: Asking = {
    ...upkeep,
    ...witnesses,
    policy,
    onAnswer: refusalAlarms(alarm),
    stopSigning: logSigner.stop,
  };
  const thin = cosignatureThinning();
  let isTold = false;

  async function ask(): Promise<void> {
    const log = await currentLog(upkeep.read);
    if (log === null || logSigner.key()?.pubkey !== log.key.pubkey) return;
    if (isLocalOrigin(context.settings.origin)) {
      if (!isTold && policy?.quorum !== null)
        alarm("unwitnessed", { log: log.origin, reason: LOCAL });
      isTold = true;
      return;
    }
    await rounds.ask(asking, log);
    await publishWitnessed(upkeep, log, policy);
    const head = await published.first(upkeep.read, {});
    const since = rounds.waitingFor(head?.origin === log.origin ? head.size : 0);
    const isLate = since !== null && upkeep.clock.now() - since >= witnesses.patience_s;
    if (isLate && !isTold) alarm("unwitnessed", { log: log.origin, since });
    isTold = isLate;
    await thin(upkeep, log);
  }

  return [{ name: "witnesses", every_ms: ASKING_EVERY_MS, run: ask }];
}

/** Learns of new logs that this service is to witness. */
export const witnessedJobs = ({ witness }: Service): readonly Job[] =>
  witness === null
    ? []
    : [{ name: "witnessed_logs", every_ms: LISTS_EVERY_MS, run: witness.readLogs }];

/** Each refusal of a witness is reported once, until it changes. */
function refusalAlarms(alarm: Alarm): Asking["onAnswer"] {
  const last = new Map<string, Refusal | null>();
  return (witness, refusal, error) => {
    if (last.get(witness) === refusal) return;
    last.set(witness, refusal);
    const facts = { witness, error };
    if (refusal === "bad_signature") alarm("witness_bad_signature", facts);
    if (refusal === "ahead") alarm("witness_ahead", facts);
    if (refusal === "unknown_log") alarm("witness_unknown_log", facts);
    if (refusal === "refuses_key") alarm("witness_refuses_key", facts);
    if (refusal === "inconsistent") alarm("witness_inconsistent", facts);
  };
}
