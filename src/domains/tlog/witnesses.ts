import type { Context } from "../../platform/context.ts";
import { isSame } from "../../platform/kernel/proof/merkle.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { addCheckpointBody, parseCheckpoint } from "../../platform/kernel/tlog/checkpoint.ts";
import { isSignedBy } from "../../platform/kernel/tlog/note.ts";
import { isQuorum, type Policy } from "../../platform/kernel/tlog/policy.ts";
import { verifySignature } from "../../platform/ledger/seals/ed25519.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import type { Log } from "./log.ts";
import { consistencyProof } from "./proofs.ts";
import * as sql from "./queries.ts";
import { type Answer, type Refusal, verdictOf } from "./witness-answer.ts";
import {
  cosignaturesOf,
  keepCosignature,
  keepState,
  type WitnessState,
  witnessStates,
} from "./witness-queries.ts";

type Witness = Policy["witnesses"][number];

/** What asking witnesses takes beside a handler's context. */
export interface Asking extends Pick<Context, "read" | "write" | "clock" | "random"> {
  readonly policy: Policy;
  /** Sends a request to an address. Null when there was no answer in time, or too long a one. */
  readonly send: (url: string, body: string | null) => Promise<Answer | null>;
  /** Keeps a text that proves something, outside the database. */
  readonly keepEvidence: (name: string, text: string) => void;
  /** From here on no checkpoint is signed: this note has the log's signature, and is not of its history. */
  readonly stopSigning: (note: string) => void;
  readonly onAnswer: (witness: string, refusal: Refusal | null, error: string) => void;
  /** Seconds between two checkpoints that are sent, and until one that has no quorum is given up. */
  readonly interval_s: Seconds;
  readonly patience_s: Seconds;
}

type Checkpoint = NonNullable<Awaited<ReturnType<typeof sql.newestCheckpoint.first>>>;

/** The checkpoint that the witnesses are asked about. */
interface Candidate {
  readonly checkpoint: Checkpoint;
  readonly began_at: Seconds;
}

/** Asks the witnesses of one log. One request at a time is under way to each. */
export function witnessRounds() {
  let candidate: Candidate | null = null;
  let waiting_since: Seconds | null = null;
  const busy = new Set<string>();

  /** One checkpoint is sent to all until its quorum or the patience ends; then the newest is next. */
  async function choose(asking: Asking, log: Log): Promise<Candidate | null> {
    const newest = await sql.newestCheckpoint.first(asking.read, { origin: log.origin });
    const now = asking.clock.now();
    if (newest === undefined) return null;
    if (candidate !== null && candidate.checkpoint.origin === log.origin) {
      const age_s = now - candidate.began_at;
      const isDone = await hasQuorum(asking, candidate.checkpoint);
      const isOver = isDone ? age_s >= asking.interval_s : age_s >= asking.patience_s;
      if (!isOver || newest.size === candidate.checkpoint.size) return candidate;
    }
    candidate = { checkpoint: newest, began_at: now };
    return candidate;
  }

  return {
    /** Asks each witness that has not cosigned yet and may be asked. Resolves when all have answered. */
    async ask(asking: Asking, log: Log): Promise<void> {
      const chosen = await choose(asking, log);
      if (chosen === null) return;
      const { checkpoint } = chosen;
      const held = await cosignaturesOf.all(asking.read, checkpoint);
      const known = await witnessStates.all(asking.read, { origin: log.origin });
      const due = asking.policy.witnesses.filter(({ name, url }) => {
        const state = known.find(({ witness }) => witness === name);
        const isHeld = held.some(({ witness }) => witness === name);
        return (
          url !== null && !isHeld && !busy.has(name) && (state?.next_at ?? 0) <= asking.clock.now()
        );
      });
      await Promise.all(
        due.map(async (witness) => {
          busy.add(witness.name);
          const state = known.find((each) => each.witness === witness.name);
          try {
            await askOne(asking, log, checkpoint, { witness, state: state ?? fresh(log, witness) });
          } finally {
            busy.delete(witness.name);
          }
        }),
      );
    },
    /** Since when a checkpoint waits for its quorum, where this size has the newest one. */
    waitingFor: (size: number): Seconds | null => {
      if (candidate === null || candidate.checkpoint.size <= size) waiting_since = null;
      else waiting_since ??= candidate.began_at;
      return waiting_since;
    },
  };
}

const fresh = ({ origin }: Log, { name: witness }: Witness): WitnessState => ({
  origin,
  witness,
  size: 0,
  last_time: null,
  failures: 0,
  last_error: null,
  next_at: 0,
});

/** Whether the witnesses that have cosigned a checkpoint are a quorum. */
export async function hasQuorum(
  { read, policy }: Pick<Asking, "read" | "policy">,
  { origin, size }: { readonly origin: string; readonly size: number },
): Promise<boolean> {
  const held = await cosignaturesOf.all(read, { origin, size });
  const isKnown = ({ witness, key_id }: (typeof held)[number]) =>
    policy.witnesses.some(({ name, key }) => name === witness && key.key_id === key_id);
  return isQuorum(policy, new Set(held.filter(isKnown).map(({ witness }) => witness)));
}

interface One {
  readonly witness: Witness;
  readonly state: WitnessState;
}

async function askOne(
  asking: Asking,
  log: Log,
  checkpoint: Checkpoint,
  { witness, state }: One,
): Promise<void> {
  const { read, clock, send } = asking;
  const url = `${(witness.url ?? "").replace(/\/+$/, "")}/add-checkpoint`;
  const [text = ""] = checkpoint.note.split("\n\n");
  const { key } = witness;
  // A witness that was asked about a smaller tree than it has seen would only say so.
  let old_size = Math.min(state.size, checkpoint.size);
  for (let attempt = 1; ; attempt++) {
    const proof = await consistencyProof(read, old_size, checkpoint.size);
    const body = addCheckpointBody({ old_size, proof, note: checkpoint.note });
    const answer = await send(url, body);
    const asked = { key, text: `${text}\n`, size: checkpoint.size, now: clock.now() };
    const verdict = verdictOf(answer, { ...asked, failures: state.failures });
    if ("seen" in verdict && attempt === 1) {
      old_size = verdict.seen;
      continue;
    }
    if ("cosigned" in verdict)
      return cosigned(asking, checkpoint, { witness, state }, verdict.cosigned);
    const failed =
      "refusal" in verdict
        ? verdict
        : { refusal: "unavailable" as const, error: "409 twice", pause_s: 60 };
    if (failed.refusal === "inconsistent")
      asking.keepEvidence(
        `witness-${witness.key.key_id}-${checkpoint.size}`,
        `${body}\n${answer?.body}`,
      );
    if (failed.refusal === "ahead") await lookAhead(asking, log, checkpoint, witness);
    return refused(asking, { witness, state }, failed);
  }
}

async function cosigned(
  { write, onAnswer }: Asking,
  { origin, size }: Checkpoint,
  { witness, state }: One,
  { key_id, line, time }: { readonly key_id: string; readonly line: string; readonly time: number },
): Promise<void> {
  const { name } = witness;
  await write(async (tx) => {
    await keepCosignature.run(tx, { origin, size, witness: name, key_id, line, time });
    const now = { size, last_time: time, failures: 0, last_error: null, next_at: 0 };
    await keepState.run(tx, { ...state, ...now });
  });
  onAnswer(name, null, "");
}

async function refused(
  { write, clock, random, onAnswer }: Asking,
  { witness, state }: One,
  {
    refusal,
    error,
    pause_s,
  }: { readonly refusal: Refusal; readonly error: string; readonly pause_s: Seconds },
): Promise<void> {
  const [byte = 0] = random(1);
  const next_at = clock.now() + Math.round(pause_s * (1 + byte / 1_024)); // Not all at once.
  const failures = state.failures + 1;
  const last_error = `${refusal}: ${error}`;
  await write((tx) => keepState.run(tx, { ...state, failures, last_error, next_at }));
  onAnswer(witness.name, refusal, error);
}

/**
 * A witness says that it has seen a larger tree. Only a note with this log's own signature proves it:
 * then somebody else has the key, or this database was rolled back, and nothing more is signed.
 */
async function lookAhead(
  { send, keepEvidence, stopSigning }: Asking,
  { origin, key }: Log,
  ours: Checkpoint,
  { url, key: own }: Witness,
): Promise<void> {
  const address = `${(url ?? "").replace(/\/+$/, "")}/${sha256Hex(origin)}/checkpoint`;
  const answer = await send(address, null);
  const theirs = answer?.status === 200 ? parseCheckpoint(answer.body) : null;
  if (answer === null || theirs === null || theirs.origin !== origin) return;
  if (!isSignedBy({ verifySignature }, key, theirs.note)) return;
  const isOurs = theirs.size === ours.size && isSame(theirs.root, ours.root);
  if (isOurs || theirs.size < ours.size) return;
  keepEvidence(`witness-${own.key_id}-${theirs.size}`, answer.body);
  stopSigning(answer.body);
}
