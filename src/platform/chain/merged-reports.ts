import { type PublicKey, publicKeyOf } from "../kernel/nano.ts";
import { type Block, ZERO } from "./block.ts";
import { type BlockReport, contentsOf, fetchReport } from "./block-report.ts";
import type { Environment } from "./endpoint.ts";
import { agreed, type Nodes } from "./nodes.ts";

const CONFIRMATION_POLLS = 3;

/** What endpoints say of a block and its hash does not cover. */
type Said = "amountRaw" | "sender" | "subtype";

/** A block as reachable endpoints show it. */
export interface BlockReports extends Pick<BlockReport, "block" | "account"> {
  readonly hash: string;
  /** How many endpoints say that it is confirmed. */
  readonly confirmations: number;
  /** What each endpoint that has it says; not all need to say the same. */
  readonly reports: readonly BlockReport[];
}

/** How a block changed the balance of its account. */
export interface Movement {
  readonly direction: "in" | "out" | "none";
  /** Null when nobody says. */
  readonly amountRaw: bigint | null;
  /** Whether the amount is the difference of two balances whose hashes were computed here. */
  readonly source: "balances" | "node";
}

/** What looking at blocks needs. */
export interface Reader extends Pick<Environment, "wait"> {
  readonly nodes: Nodes;
  readonly poll_ms: number;
}

/** The block with this hash; null when no reachable endpoint has it. */
export async function find(
  { nodes }: Reader,
  hash: string,
  signal: AbortSignal,
): Promise<BlockReports | null> {
  const confirmed = (seen: readonly (BlockReport | null)[]) =>
    seen.filter((report) => report?.isConfirmed === true).length;
  const answers = await nodes.all(
    (endpoint, limit) => fetchReport(endpoint, hash, limit),
    (seen) => confirmed(seen) >= nodes.quorum,
    signal,
  );
  const seen = answers.filter((report) => report !== null);
  const [first] = seen;
  if (first === undefined) return null;
  const { block, account } = first;
  return { block, account, hash, confirmations: confirmed(seen), reports: seen };
}

/**
 * What the quorum says of a block beyond what its hash covers; null when no endpoint says anything.
 * Those that were not waited for are asked too, unless all that answered say the same and are enough.
 */
export async function saidOf<Key extends Said>(
  { nodes }: Reader,
  { hash, reports }: BlockReports,
  key: Key,
  signal: AbortSignal,
): Promise<NonNullable<BlockReport[Key]> | null> {
  const saidIn = (seen: readonly (BlockReport | null)[]) =>
    seen.flatMap((report): NonNullable<BlockReport[Key]>[] => {
      const value = report?.[key];
      return value === null || value === undefined ? [] : [value];
    });
  const heard = saidIn(reports);
  if (heard.length >= nodes.quorum && new Set(heard).size === 1) return heard[0] ?? null;
  const all = await nodes.all(
    (endpoint, limit) => fetchReport(endpoint, hash, limit),
    () => false,
    signal,
  );
  return agreed(nodes, saidIn(all), WORDS[key]);
}

const WORDS: Readonly<Record<Said, string>> = {
  amountRaw: "an amount",
  sender: "a sender",
  subtype: "what a block does",
};

/** The block once the quorum says that it is confirmed; null when that takes longer than about 2 s. */
export async function confirmed(
  reader: Reader,
  block: BlockReports,
  signal: AbortSignal,
): Promise<BlockReports | null> {
  let latest = block;
  for (let poll = 0; latest.confirmations < reader.nodes.quorum; poll++) {
    if (poll === CONFIRMATION_POLLS) return null;
    await reader.wait(reader.poll_ms, signal);
    latest = (await find(reader, block.hash, signal)) ?? latest;
  }
  return latest;
}

/** The account that a block sends to, if it is a send: a state block's link may also be a hash. */
export function targetOf({ block }: Pick<BlockReports, "block">): PublicKey | null {
  if (block.type === "state") return publicKeyOf(block.link);
  return block.type === "send" ? block.destination : null;
}

/** The send that a block receives, if it is a receive. */
export function sourceOf({ block }: Pick<BlockReports, "block">): string | null {
  if (block.type === "state") return block.link;
  return block.type === "open" || block.type === "receive" ? block.source : null;
}

/** What a block moved: by its balances where they can be had, else as the endpoints say. */
export async function movementOf(
  reader: Reader,
  found: BlockReports,
  signal: AbortSignal,
): Promise<Movement> {
  const { block } = found;
  if (block.type === "change") return { direction: "none", amountRaw: 0n, source: "balances" };
  const reported = async (direction: Movement["direction"]): Promise<Movement> => ({
    direction,
    amountRaw: await saidOf(reader, found, "amountRaw", signal),
    source: "node",
  });
  if (block.type === "open" || block.type === "receive") return reported("in");
  const before = await balanceBefore(reader, found, signal);
  if (before === null) return reported(await directionOf(reader, found, signal));
  const gained = block.balance - before;
  if (gained === 0n) return { direction: "none", amountRaw: 0n, source: "balances" };
  return gained > 0n
    ? { direction: "in", amountRaw: gained, source: "balances" }
    : { direction: "out", amountRaw: -gained, source: "balances" };
}

/** A legacy send says so itself; of a state block without its predecessor the endpoints say it. */
async function directionOf(
  reader: Reader,
  found: BlockReports,
  signal: AbortSignal,
): Promise<Movement["direction"]> {
  if (found.block.type === "send") return "out";
  const subtype = await saidOf(reader, found, "subtype", signal);
  const direction = DIRECTIONS[subtype ?? "send"];
  if (direction === undefined) throw reader.nodes.contradiction("a block of an unknown kind");
  return direction;
}

const DIRECTIONS: Readonly<Record<string, Movement["direction"]>> = {
  send: "out",
  receive: "in",
  open: "in",
  change: "none",
  epoch: "none",
};

/** The balance before a block, as its predecessor's hash proves it; null when it cannot be had. */
async function balanceBefore(
  { nodes }: Reader,
  { block, account }: BlockReports,
  signal: AbortSignal,
): Promise<bigint | null> {
  if (!("previous" in block)) return null;
  if (block.previous === ZERO) return 0n;
  const row = await nodes.one(
    (endpoint, limit) => contentsOf(endpoint, block.previous, limit),
    signal,
  );
  if (row === null) return null;
  const before: Block = row.contents;
  if ("account" in before && before.account !== account) {
    throw nodes.contradiction("a block follows one of another account");
  }
  return "balance" in before ? before.balance : null;
}
