import * as z from "zod";
import { epochOf, firstOrigin } from "../../kernel/origin.ts";
import type { Seal } from "../../kernel/seal-text.ts";
import { fileSnapshot } from "../../main/storage/database.ts";
import { command } from "../command/command.ts";
import { isDatabaseFile } from "../command/lines.ts";
import { messageOf, Stop, UNREADABLE, USAGE } from "../command/stop.ts";
import { file, onOrOff } from "../command/values.ts";
import { fileChain, saveChain } from "./chain-file.ts";
import { EXIT_CODE_OF, historyOf } from "./chain-history.ts";
import { networkChain } from "./chain-network.ts";
import type { ChainHeader, ChainSource } from "./chain-records.ts";
import { walkChain } from "./chain-walk.ts";
import { databaseChain } from "./database-chain.ts";
import { namesOf } from "./entry-names.ts";
import { type Head, readHeads, writeHead } from "./known-heads.ts";
import { chainInput, type VerifyOptions } from "./options.ts";
import { unlinkedKeys } from "./pinned-keys.ts";
import { withProgress } from "./progress.ts";
import { factsOf, textReport, type Verified } from "./report.ts";

/** Checks a chain without believing its source. */
export const verify = command({
  name: "verify",
  summary: "check a service's chain, or a saved copy of it, offline",
  about: `Walks the whole chain of seals of a service, or of a copy saved with --save, and checks
every link, hash and signature. The verified head is remembered and compared the next time.`,
  input: z
    .object({
      from: chainInput.from,
      entries: onOrOff.describe("also read every entry, and check each leaf, root and text"),
      key: chainInput.key,
      origin: chainInput.origin,
      save: file
        .optional()
        .describe("keep a copy of what was read, to be verified later without the service"),
      state: chainInput.state.describe(
        "where to remember (default: heads.json in the user's state folder)",
      ),
    })
    .refine(({ from, save }) => from.kind === "network" || save === undefined, {
      error: "--save copies a service's chain.",
    }),
  operands: ["from"],
  opens: "nothing",
  exits: {
    0: "it verifies",
    1: "it does not",
    2: "wrong usage",
    3: "history was rewritten (also where a restore is claimed that nobody signed, or only a key from before a rotation that was seen)",
    4: "history was cut off",
    5: "it could not be read",
  },
  async run({ values: { entries, key: keys, ...options } }) {
    const depth = entries ? "entries" : "links";
    const outcome = await outcomeOf({ ...options, keys, depth }, (source) => source);
    const { exit_code } = outcome;
    return { text: textReport(outcome), facts: factsOf(outcome), exit_code };
  },
});

/** Walks a chain and remembers it. `through` may look at what is walked, and add to its end. */
export async function outcomeOf(
  options: VerifyOptions,
  through: (source: ChainSource) => ChainSource,
): Promise<Verified> {
  const { from, state } = options;
  const heads = await readHeads(state);
  const source = through(await open(options));
  // What a service calls its origin ends in the epoch after a restore; the chain begins without it.
  const origin = firstOrigin(options.origin ?? source.header.origin);
  const known = heads.get(origin);
  const pins = pinsOf(options, known, source.header);

  let seen: Seal | undefined;
  const vouchers = new Set<string>();
  const isFirst = namesOf();
  const walked = await walkChain(
    source,
    { origin, keys: pins.keys },
    {
      entry: (entry) => (isFirst(entry) ? null : "an earlier entry has its kind and ref"),
      seal(seal, { vouched }) {
        if (known === undefined) return;
        if (seal.seq === known.seq) seen = seal;
        const isSound = vouched?.seal_hash === seal.seal_hash && seal.pubkey !== null;
        if (isSound && epochOf(seal.origin) > epochOf(known.origin)) vouchers.add(seal.pubkey);
      },
    },
  );

  // A reader that names an origin may find a new chain at an old address.
  const compared = [...heads].filter(([first]) => options.origin === undefined || first === origin);
  const reading = { from, origin, keys: pins.keys, walked, seen, vouchers };
  const { history, remembered } = historyOf(reading, new Map(compared));
  const { last, vouched } = walked.state;
  // A chain of hashes alone is one that anybody can make.
  const isAnybodys = pins.keys.length > 0 && last !== null && vouched === null;
  const exit_code = EXIT_CODE_OF[history] || (walked.faults > 0 || isAnybodys ? 1 : 0);
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
  const checked = source.header.entries ? "entries" : "links";
  return { exit_code, source: from.address, origin, checked, ...pins, walked, history, remembered };
}

/** The chain to walk. One that is to be saved is saved first, and then read back from its copy. */
async function open({ from, depth, save }: VerifyOptions): Promise<ChainSource> {
  if (from.kind === "file") {
    const copy = withProgress(await copyOf(from.address));
    if (depth === "links" || copy.header.entries) return copy;
    throw new Stop(USAGE, `${from.address} was saved without --entries, so it holds none.`);
  }
  const source = withProgress(await networkChain(from.address, depth));
  if (save === undefined) return source;
  await saveChain(save, source);
  return fileChain(save);
}

/** A saved chain, an export, or a backup of the embedded engine. */
async function copyOf(path: string): Promise<ChainSource> {
  if (!(await isDatabaseFile(path))) return fileChain(path);
  try {
    return await databaseChain(fileSnapshot(path).read); // Held until the process ends.
  } catch (error) {
    if (error instanceof Stop) throw error;
    throw new Stop(UNREADABLE, messageOf(error), error);
  }
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
