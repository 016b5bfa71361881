import { isTurn, takeTurns } from "../../platform/kernel/proof/chain.ts";
import type { Entry } from "../../platform/kernel/proof/entry.ts";
import { namesOf } from "../../platform/kernel/proof/names.ts";
import { ledgerOfLog } from "../../platform/kernel/proof/origin.ts";
import { parseCheckpoint, type SignedCheckpoint } from "../../platform/kernel/tlog/checkpoint.ts";
import { isSignedBy, LOG_KEY, noteKey } from "../../platform/kernel/tlog/note.ts";
import {
  faultBy,
  type Policy,
  witnessedAt,
  witnessesOf,
} from "../../platform/kernel/tlog/policy.ts";
import { refuseEndedLedger } from "../ended.ts";
import { type Platform, platformHere } from "../platform.ts";
import { Stop, UNREADABLE } from "../stop.ts";
import { policyIn } from "../witnessed.ts";
import type { LogFault } from "./files.ts";
import { CHECKPOINT_BYTES_MAX, logSource } from "./source.ts";
import { type LogWalked, type OnEntry, walkLog } from "./walk.ts";

/** A log that is to be verified from its files, and what is known of it. */
export interface LogOptions {
  /** A folder, or a web address. */
  readonly address: string;
  /** The operator's key in `genesis` first, then those that no rotation links; empty for none. */
  readonly keys: readonly string[];
  /** The origin of the ledger. */
  readonly origin?: string | undefined;
  /** A file that names the log's key and the witnesses that count. */
  readonly policy?: string | undefined;
  /** Checks the entries, too: called with each valid one at its position. */
  readonly onEntry?: OnEntry;
}

/** All that a run of `cairn verify --log` found. */
export interface LogVerified {
  readonly exit_code: number;
  readonly source: string;
  readonly checkpoint: SignedCheckpoint;
  readonly walked: LogWalked;
  /** The key that has signed the checkpoint; null when it is not that of the log. */
  readonly log_key: string | null;
  readonly key_source: "policy" | "entries";
  readonly names_compared: number;
  /** The witnesses that have cosigned, and when the quorum was complete; null without a policy, or a quorum. */
  readonly witnessed: { readonly by: readonly string[]; readonly at: number } | null;
}

/** A mark before the text is no part of what was signed. */
const checkpointText = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads and verifies a log from its files alone. A Stop when it has no checkpoint, or nobody is there. */
export async function logOutcome(options: LogOptions): Promise<LogVerified> {
  const platform = await platformHere();
  const policy = options.policy === undefined ? null : await policyIn(options.policy);
  const read = logSource(options.address);
  const checkpoint = parseCheckpoint(
    checkpointText.decode(await read("checkpoint", CHECKPOINT_BYTES_MAX)),
  );
  if (checkpoint === null)
    throw new Stop(UNREADABLE, `${options.address}/checkpoint is no checkpoint.`);
  const ledger = ledgerReader(platform, options, checkpoint.origin);
  const files = await walkLog(read, checkpoint, ledger.onEntry);
  const log_key = ledger.key();
  const isWhole = files.entries === checkpoint.size; // Else what is missing may be what is sought.
  const said = [
    ...(isWhole ? ledger.faults(options) : []).map((reason) => fault("tile/entries", reason)),
    ...signatureFaults(platform, checkpoint, { log_key, policy, isWhole }).map((reason) =>
      fault("checkpoint", reason),
    ),
  ];
  const walked = {
    ...files,
    faults: [...files.faults, ...said],
    faults_count: files.faults_count + said.length,
  };
  const { faults_count, unread } = walked;
  return {
    exit_code: faults_count === 0 ? 0 : faults_count === unread ? UNREADABLE : 1,
    source: options.address,
    checkpoint,
    walked,
    log_key,
    key_source: policy === null ? "entries" : "policy",
    names_compared: ledger.compared(),
    witnessed: policy && witnessed(platform, policy, checkpoint),
  };
}

const fault = (file: string, reason: string): LogFault => ({
  file,
  reason,
  ledger_id: null,
  unread: false,
});

/** Reads entries in their order, and remembers what the whole of them has to fit. */
function ledgerReader(
  platform: Platform,
  { address, onEntry: read = () => null }: LogOptions,
  log: string,
) {
  const names = namesOf(platform);
  const turns: Entry[] = [];
  let last_at = 0;
  let key: string | null = null;
  const onEntry: OnEntry = (entry) => {
    const { kind, ref, at, body } = entry;
    refuseEndedLedger(address, entry);
    if (isTurn(kind)) turns.push(entry);
    if (kind === "log_key" && body["log_origin"] === log) key = String(body["pubkey"]);
    if (at < last_at) return "its time is before that of the entry before it";
    last_at = at;
    return names.isFirst(kind, ref) ? read(entry) : "an earlier entry has its kind and ref";
  };
  return {
    onEntry,
    /** The log's key, as the newest entry that has one names it. */
    key: () => key,
    compared: names.compared,
    /** Genesis, rotations and restores: no checkpoint is made without a signed seal. */
    faults({ keys, origin }: LogOptions): readonly string[] {
      const named = ledgerOfLog(log)?.ledger ?? log;
      const [genesis] = turns;
      const pubkey = genesis?.kind === "genesis" ? genesis.body["pubkey"] : undefined;
      const [first = typeof pubkey === "string" ? pubkey : null] = keys;
      const trusts = (each: string): boolean => keys.includes(each);
      const state = { origin: origin ?? named, key: first };
      return [
        ...(genesis?.kind === "genesis" && genesis.id === 1 ? [] : ["entry 1 is no genesis"]),
        ...(keys.length > 0 && pubkey === undefined ? ["genesis names no key"] : []),
        ...takeTurns({ ...platform, trusts }, state, { signed: true }, turns).faults,
        ...(origin === undefined || origin === named ? [] : [`it is a log of ${named}`]),
      ];
    },
  };
}

/** Why a checkpoint does not count. */
function signatureFaults(
  platform: Platform,
  checkpoint: SignedCheckpoint,
  known: {
    readonly log_key: string | null;
    readonly policy: Policy | null;
    readonly isWhole: boolean;
  },
): readonly string[] {
  const { log_key, policy, isWhole } = known;
  const byPolicy = policy && faultBy(platform, policy, checkpoint);
  const byEntries = log_key === null ? null : keyFault(platform, checkpoint, log_key);
  const unnamed = `no entry names the key of the log ${checkpoint.origin}`;
  return [byPolicy, byEntries, isWhole && log_key === null ? unnamed : null].filter(
    (reason) => reason !== null,
  );
}

function keyFault(
  platform: Platform,
  { origin, note }: SignedCheckpoint,
  log_key: string,
): string | null {
  const isSigned = isSignedBy(platform, noteKey(origin, LOG_KEY, log_key, platform.sha256), note);
  return isSigned ? null : "it is not signed with the key that the entries name";
}

function witnessed(
  platform: Platform,
  policy: Policy,
  { note }: SignedCheckpoint,
): LogVerified["witnessed"] {
  const words = witnessesOf(platform, policy, note);
  const at = witnessedAt(policy, words);
  return at === null ? null : { by: [...new Set(words.map(({ witness }) => witness))], at };
}
