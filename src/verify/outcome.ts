import { replayLedger } from "../domains/transitions.ts";
import { namesOf } from "../platform/kernel/proof/names.ts";
import { epochOf, firstOrigin } from "../platform/kernel/proof/origin.ts";
import type { Seal } from "../platform/kernel/proof/seal-text.ts";
import { EXIT_CODE_OF, historyOf } from "./history.ts";
import { type Head, readHeads, writeHead } from "./known-heads.ts";
import type { Depth } from "./network.ts";
import { platformHere } from "./platform.ts";
import type { Verified } from "./report.ts";
import { rulesExit, rulesFound } from "./rules.ts";
import type { ChainHeader, ChainSource } from "./shapes.ts";
import { Stop, USAGE } from "./stop.ts";
import { walkChain } from "./walk.ts";
import { type WitnessCheck, witnessCheck } from "./witnessed.ts";

/** A chain that is to be verified, and what is known of it. */
export interface VerifyOptions {
  readonly from: { readonly kind: "network" | "file"; readonly address: string };
  readonly depth: Depth;
  /** Empty when none was given. */
  readonly keys: readonly string[];
  readonly origin?: string | undefined;
  readonly save?: string | undefined;
  /** Whether every entry is asked for its rule, too. */
  readonly rules?: boolean | undefined;
  /** A file that names the log and the witnesses that count. */
  readonly policy?: string | undefined;
  /** Where to remember; null for nowhere. */
  readonly state: string | null;
}

/** Walks a chain and remembers it. `open` reads it, and may look at what is walked. */
export async function outcomeOf(
  options: VerifyOptions,
  open: (options: VerifyOptions) => Promise<ChainSource>,
): Promise<Verified> {
  const { from, state } = options;
  const heads = await readHeads(state);
  // Before the head is read, so that the walk covers the checkpoint.
  const check = await witnessesAsked(options);
  const source = await open(options);
  // What a service calls its origin ends in the epoch after a restore; the chain begins without it.
  const origin = firstOrigin(options.origin ?? source.header.origin);
  const known = heads.get(origin);
  const pins = pinsOf(options, known, source.header);

  let seen: Seal | undefined;
  const vouchers = new Set<string>();
  const platform = await platformHere();
  const names = namesOf(platform);
  const rules = options.rules === true ? replayLedger(platform) : null;
  const chain = await walkChain(
    source,
    { origin, keys: pins.keys },
    {
      entry(entry) {
        rules?.add(entry);
        const isFirst = names.isFirst(entry.kind, entry.ref);
        return isFirst ? null : "an earlier entry has its kind and ref";
      },
      seal(seal, { vouched }) {
        check?.seal(seal);
        if (known === undefined) return;
        if (seal.seq === known.seq) seen = seal;
        const isSound = vouched?.seal_hash === seal.seal_hash && seal.pubkey !== null;
        if (isSound && epochOf(seal.origin) > epochOf(known.origin)) vouchers.add(seal.pubkey);
      },
    },
  );

  const { witnessed, findings: unseen } = check?.end() ?? { witnessed: null, findings: [] };
  const walked = {
    ...chain,
    findings: [...chain.findings, ...unseen],
    faults: chain.faults + unseen.length,
  };
  // A reader that names an origin may find a new chain at an old address.
  const compared = [...heads].filter(([first]) => options.origin === undefined || first === origin);
  const reading = { from, origin, keys: pins.keys, walked, seen, vouchers };
  const { history, remembered } = historyOf(reading, new Map(compared));
  const { last, vouched } = walked.state;
  // A chain of hashes alone is one that anybody can make.
  const isAnybodys = pins.keys.length > 0 && last !== null && vouched === null;
  const found = rules && rulesFound(rules);
  const ruled = found === null ? 0 : rulesExit(found.breaches, found.unknown);
  const exit_code = EXIT_CODE_OF[history] || (walked.faults > 0 || isAnybodys ? 1 : ruled);
  // A file is whatever somebody wrote: only what a service said is worth remembering of it.
  if (exit_code === 0 && from.kind === "network" && last !== null) {
    const { seq, seal_hash } = last;
    const head = {
      address: from.address,
      keys: pins.keys,
      seq,
      seal_hash,
      origin: walked.state.origin,
      signer: vouched?.key ?? null,
    };
    await writeHead(state, origin, head);
  }
  return {
    exit_code,
    source: from.address,
    origin,
    ...pins,
    walked,
    history,
    remembered,
    checked: source.header.entries ? "entries" : "links",
    namesCompared: names.compared(),
    witnessed,
    rules: found,
  };
}

/** The check against witnesses; null where no policy was given. */
async function witnessesAsked({ from, policy }: VerifyOptions): Promise<WitnessCheck | null> {
  if (policy === undefined) return null;
  if (from.kind === "file") throw new Stop(USAGE, "--policy goes with a service's URL.");
  return witnessCheck(policy, from.address);
}

/** Given keys win over remembered ones. On first use the source is believed, which is said. */
function pinsOf(
  { keys }: VerifyOptions,
  known: Head | undefined,
  header: ChainHeader,
): Pick<Verified, "keys" | "keySource"> {
  if (keys.length > 0) return { keys, keySource: "given" };
  const held = known?.keys ?? unlinkedKeys(header);
  if (held.length === 0) return { keys: held, keySource: "none" };
  return { keys: held, keySource: known === undefined ? "first_use" : "remembered" };
}

/** The keys that no rotation links, as a chain's source names them: the first, and each after a loss. */
export const unlinkedKeys = ({ keys }: ChainHeader): string[] =>
  keys.filter(({ anchored }, i) => i === 0 || !anchored).map(({ public_key }) => public_key);
