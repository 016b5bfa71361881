import type { Sha256 } from "../proof/merkle.ts";
import type { SignatureCheck } from "../proof/signature.ts";
import type { SignedCheckpoint } from "./checkpoint.ts";
import {
  type Cosignature,
  cosignaturesBy,
  isSignedBy,
  LOG_KEY,
  type NoteKey,
  parseVkey,
  vkeyOf,
  WITNESS_KEY,
} from "./note.ts";

/** Which checkpoints count: of which log, and seen by which witnesses (c2sp.org/tlog-policy). */
export interface Policy {
  readonly logs: readonly { readonly key: NoteKey; readonly url: string | null }[];
  readonly witnesses: readonly Witness[];
  /** A witness or a group; null for `quorum none`. */
  readonly quorum: string | null;
  readonly groups: ReadonlyMap<string, Group>;
}

/** A witness and what the policy calls it. */
interface Witness {
  readonly name: string;
  readonly key: NoteKey;
  readonly url: string | null;
}

interface Group {
  /** How many of the members must have seen a checkpoint. */
  readonly threshold: number;
  readonly members: readonly string[];
}

const ENTRIES_MAX = 256;

/** Reads a policy file. A RangeError names the line and what is wrong with it. */
export function parsePolicy(text: string, sha256: Sha256): Policy {
  const logs: Policy["logs"][number][] = [];
  const witnesses: Witness[] = [];
  const groups = new Map<string, Group>();
  let quorum: string | null | undefined;

  const isNamed = (name: string): boolean =>
    groups.has(name) || witnesses.some((witness) => witness.name === name);
  const newName = (name = ""): string => {
    demand(name !== "" && name !== "none", "a name is missing, or it is none");
    demand(!isNamed(name), "this name stands in an earlier line");
    demand(
      groups.size + witnesses.length < ENTRIES_MAX,
      `over ${ENTRIES_MAX} witnesses and groups`,
    );
    return name;
  };
  const keyOf = (vkey: string | undefined, type: number, known: readonly NoteKey[]): NoteKey => {
    const key = parseVkey(vkey ?? "", sha256);
    demand(key !== null, "the key is no vkey of Ed25519, or its id is not that of the key");
    demand(key.type === type, `the key has type ${key.type}; this line takes type ${type}`);
    demand(
      !known.some(({ pubkey }) => pubkey === key.pubkey),
      "this key stands in an earlier line",
    );
    return key;
  };
  const addGroup = ([name, k = "", ...members]: readonly string[]): void => {
    const made = newName(name);
    demand(members.length > 0, "a group has one member at least");
    demand(members.every(isNamed), "a member is not named in an earlier line");
    demand(new Set(members).size === members.length, "a member stands there twice");
    const threshold = k === "any" ? 1 : k === "all" ? members.length : Number(k);
    const isCount = k === "any" || k === "all" || /^[1-9]\d{0,3}$/.test(k);
    demand(isCount && threshold <= members.length, "any, all, or 1 to the number of members");
    groups.set(made, { threshold, members });
  };

  const take = ([word, ...rest]: readonly string[]): void => {
    const [first, second, third, ...more] = rest;
    if (word === "log") {
      demand(rest.length <= 2, "a log line has a key and perhaps a URL");
      const key = keyOf(
        first,
        LOG_KEY,
        logs.map((log) => log.key),
      );
      logs.push({ key, url: second ?? null });
    } else if (word === "witness") {
      demand(
        rest.length <= 3 && more.length === 0,
        "a witness line has a name, a key and perhaps a URL",
      );
      const name = newName(first);
      const key = keyOf(
        second,
        WITNESS_KEY,
        witnesses.map((witness) => witness.key),
      );
      witnesses.push({ name, key, url: third ?? null });
    } else if (word === "group") addGroup(rest);
    else if (word === "quorum") {
      demand(quorum === undefined, "there is a second quorum line");
      demand(first !== undefined && rest.length === 1, "a quorum line has one name");
      demand(first === "none" || isNamed(first), "the quorum is not named in an earlier line");
      quorum = first === "none" ? null : first;
    } else demand(false, "a line begins with log, witness, group or quorum");
  };

  for (const [i, line] of text.split("\n").entries()) {
    try {
      demand(!CONTROL.test(line.replaceAll("\t", "")), "it holds a control character");
      const words = line.split(/[ \t]+/).filter((word) => word !== "");
      if (words.length > 0 && !words[0]?.startsWith("#")) take(words);
    } catch (error) {
      if (error instanceof RangeError) throw new RangeError(`Line ${i + 1}: ${error.message}.`);
      throw error;
    }
  }
  if (quorum === undefined) throw new RangeError("There is no quorum line.");
  return { logs, witnesses, quorum, groups };
}

const CONTROL = /[^\P{Cc}\x7f-\x9f]/u;

function demand(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new RangeError(reason);
}

/** A policy as a file: what `parsePolicy` reads. */
export const policyText = ({ logs, witnesses, groups, quorum }: Policy): string =>
  [
    ...logs.map(({ key, url }) => ["log", vkeyOf(key), url]),
    ...witnesses.map(({ name, key, url }) => ["witness", name, vkeyOf(key), url]),
    ...[...groups].map(([name, { threshold, members }]) => ["group", name, threshold, ...members]),
    ["quorum", quorum ?? "none"],
  ]
    .map((words) => `${words.filter((word) => word !== null).join(" ")}\n`)
    .join("");

/** Whether witnesses of these names, as the policy calls them, are a quorum. */
export function isQuorum({ quorum, groups }: Policy, names: ReadonlySet<string>): boolean {
  const has = (name: string): boolean => {
    const group = groups.get(name);
    if (group === undefined) return names.has(name);
    return group.members.filter(has).length >= group.threshold;
  };
  return quorum === null || has(quorum);
}

/** A witness's cosignature, and what the policy calls the witness. */
export interface Witnessed extends Cosignature {
  readonly witness: string;
}

/** What the witnesses of a policy say of a checkpoint, the earliest word first. */
export const witnessesOf = (
  check: SignatureCheck,
  { witnesses }: Policy,
  note: SignedCheckpoint["note"],
): Witnessed[] =>
  witnesses
    .flatMap(({ name, key }) =>
      cosignaturesBy(check, key, note).map((cosigned) => ({ ...cosigned, witness: name })),
    )
    .sort((a, b) => a.time - b.time);

/** When the quorum was complete; null when it is not. 0 where none is asked for. */
export function witnessedAt(policy: Policy, witnessed: readonly Witnessed[]): number | null {
  const names = new Set<string>();
  if (isQuorum(policy, names)) return 0;
  for (const { witness, time } of witnessed) {
    names.add(witness);
    if (isQuorum(policy, names)) return time;
  }
  return null;
}

/** Why a checkpoint does not count by a policy; null when it does. */
export function faultBy(
  check: SignatureCheck,
  policy: Policy,
  checkpoint: SignedCheckpoint,
): string | null {
  const own = policy.logs.filter(({ key }) => key.name === checkpoint.origin);
  if (own.length === 0) return `the policy names no log ${checkpoint.origin}`;
  if (!own.some(({ key }) => isSignedBy(check, key, checkpoint.note)))
    return "the checkpoint is not signed with the log's key";
  const witnessed = witnessesOf(check, policy, checkpoint.note);
  return witnessedAt(policy, witnessed) === null ? "its witnesses are no quorum" : null;
}
