import { setFlagsFromString } from "node:v8";
import type { Entry } from "../../platform/ledger/rows/told.ts";
import { refuseEndedService } from "../../verify/network.ts";
import { outcomeOf, type VerifyOptions } from "../../verify/outcome.ts";
import type { Verified } from "../../verify/report.ts";
import {
  BROKEN,
  type Breach,
  type RulesFound,
  type RulesReplay,
  rulesExit,
} from "../../verify/rules.ts";
import type { ChainRecord, ChainSource } from "../../verify/shapes.ts";
import { isDatabaseFile, linesOf } from "../command/lines.ts";
import { Stop, UNREADABLE } from "../command/stop.ts";
import { openChain } from "../verify/verify.ts";
import { type ServiceOptions, serviceClaims } from "./claimed-figures.ts";
import type { Claims, Comparison } from "./claims.ts";
import { demandFields } from "./entry.ts";
import { type SealedTransfers, sealedTransfers } from "./nano/sealed-transfers.ts";
import type { MostRewards } from "./pace.ts";
import { type Books, breachesIn, type Day, emptyBooks } from "./replay.ts";
import { everyTable } from "./rows/every-table.ts";
import { fileClaims } from "./rows/file-claims.ts";
import { type AcceptedBreaches, countingOf, newReplay } from "./rules/rules-audit.ts";

/** What an audit found. */
export interface Audit extends Comparison, RulesFound {
  /** Of the chain; nothing is compared when it does not verify: entries that are not proven prove nothing. */
  readonly verified: Verified;
  /** Hints for the operator; they do not change the exit code. */
  readonly warnings: readonly string[];
  readonly mostRewards: MostRewards | null;
  readonly days: readonly Day[];
  /** By agent_id. */
  readonly handles: ReadonlyMap<string, string>;
  /** The transfers that entries tell of, and what the venue owes by them. */
  readonly sealed: SealedTransfers & { readonly owed_raw: bigint };
  readonly exit_code: number;
}

const NOT_LOOKED = {
  breaches: [],
  warnings: [],
  mostRewards: null,
  days: [],
  handles: new Map(),
  words: new Map(),
  told: new Map(),
  unknown: { rules: null, rules_from: null, entries: 0, kinds: new Map(), opaque_from: null },
};
const NOTHING: Comparison = { groups: [], notCompared: [], drawn: null };

/** Else V8 takes what a page of entries holds for what stays, and the heap grows by a third more. */
const FLAGS = "--no-allocation-site-pretenuring";

/** Verifies the chain, and compares what is claimed with what its entries make. */
export async function auditOf(
  options: VerifyOptions,
  service: ServiceOptions & AcceptedBreaches,
): Promise<Audit> {
  setFlagsFromString(FLAGS);
  const { kind, address } = options.from;
  if (kind === "file") await demandFigures(address);
  else await refuseEndedService(address);
  const claims =
    kind === "network" ? await serviceClaims(address, service) : fileClaims(address, everyTable());
  return auditOfClaims(options, service, claims).finally(claims.close);
}

async function auditOfClaims(
  options: VerifyOptions,
  service: AcceptedBreaches,
  claims: Claims,
): Promise<Audit> {
  const books = emptyBooks();
  const rules = newReplay();
  const transfers = sealedTransfers();
  const fold = folding(books, rules, claims, transfers.add);
  const verified = await outcomeOf(options, async (asked) =>
    fold.through(claims.whole(await openChain(asked))),
  );
  const sealed = { ...transfers, owed_raw: books.market.sum("owed_raw") };
  if (verified.exit_code !== 0)
    return { verified, ...NOTHING, ...NOT_LOOKED, sealed, exit_code: verified.exit_code };
  const isSound = fold.malformed().length === 0;
  const compared = isSound ? await claims.compared(books, fold.add) : NOTHING;
  const { groups } = compared;
  const breaches = [...fold.malformed(), ...breachesIn(books, rules)];
  const unknown = rules.unknown();
  const isEqual = groups.every(({ unequal }) => unequal === 0) || unknown.opaque_from !== null;
  const exit_code = isEqual ? rulesExit(countingOf(breaches, service), unknown) : BROKEN;
  const looked = {
    warnings: books.warnings(),
    mostRewards: books.mostRewards(),
    days: books.days(),
    handles: books.handles,
    words: rules.words(),
    told: rules.told(),
    unknown,
  };
  return { verified, ...compared, breaches, ...looked, sealed, exit_code };
}

/** Said of an entry behind which nothing can be summed. */
export const NO_BOOKS = "the body is none of its kind: no sum is made from here on";

/** Adds the entries to the books while they are hashed: those that are proven are those that count. */
function folding(books: Books, rules: RulesReplay, claims: Claims, see: (entry: Entry) => void) {
  const malformed: Breach[] = [];

  async function add(record: ChainRecord): Promise<void> {
    if (record.type !== "entry") return;
    rules.add(record); // Also behind an entry that no book takes.
    if (malformed.length > 0) return;
    try {
      demandFields(record);
      books.add(record);
      see(record);
      await claims.see(record, books);
    } catch (error) {
      if (error instanceof Stop) throw error;
      const { rules: later } = rules.unknown();
      malformed.push({
        ledger_id: record.id,
        rule: NO_BOOKS,
        ...(later === null ? {} : { later }),
      });
    }
  }

  async function* folded(records: ChainSource["records"]): AsyncGenerator<ChainRecord> {
    for await (const record of records) {
      await add(record);
      yield record;
    }
  }

  return {
    add,
    through: (source: ChainSource): ChainSource => ({ ...source, records: folded(source.records) }),
    /** The first entry that could not be read, if there is one. */
    malformed: (): readonly Breach[] => malformed,
  };
}

/** A saved chain holds entries, but nobody's figures. */
async function demandFigures(path: string): Promise<void> {
  if (await isDatabaseFile(path)) return;
  const first = await linesOf(path).next();
  if (first.done || first.value.text.includes('"tables":')) return;
  throw new Stop(
    UNREADABLE,
    `${path} is a saved chain, in which nobody claims a figure. \`cairn export\` writes one that does.`,
  );
}
