import { chainAudit } from "../ledger/audit.ts";
import { heartbeatWhenDue } from "../ledger/heartbeat.ts";
import { type JobContext, sealWhenDue } from "../ledger/seal.ts";
import { type SignerState, signSeals } from "../ledger/signer.ts";
import type { Job } from "./jobs.ts";
import type { World } from "./world.ts";

/** Seals are due by the entries' age, so looking often costs two look-ups and promises punctuality. */
const SEALING_EVERY_MS = 1_000;
const HEARTBEAT_EVERY_MS = 60_000;
const PRESENCE_EVERY_MS = 5_000;

/** What a service does by itself. */
export interface Duties {
  readonly jobs: readonly Job[];
  /** Seals what is due, signs what waits, checks what is new. */
  readonly seal: () => Promise<void>;
  readonly signerState: () => SignerState;
}

export function dutiesOf({ context, presence, signer, alarm }: World): Duties {
  const audit = chainAudit();
  const breathe = () => new Promise<void>((resolve) => setImmediate(resolve));
  const job: JobContext = { ...context, breathe, alarm };
  let state: SignerState = signer === null ? "no_key" : "ok";

  async function seal(): Promise<void> {
    await sealWhenDue(job);
    const now = await signSeals(context, signer);
    if (now !== state && now !== "ok") alarm("signer_refuses", { signer: now });
    state = now;
    await audit.run(job);
  }

  return {
    seal,
    signerState: () => state,
    jobs: [
      { name: "seal", every_ms: SEALING_EVERY_MS, run: seal },
      { name: "heartbeat", every_ms: HEARTBEAT_EVERY_MS, run: () => heartbeatWhenDue(context) },
      { name: "presence", every_ms: PRESENCE_EVERY_MS, run: () => presence.flush(context) },
    ],
  };
}
