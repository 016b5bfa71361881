import { type PublicKey, publicKeyOf } from "../kernel/nano.ts";
import { type Block, ZERO } from "./block.ts";
import type { Surroundings } from "./endpoint.ts";
import type { Nodes } from "./nodes.ts";
import { contentsOf, type Sighting, sight } from "./sighting.ts";

const CONFIRMATION_POLLS = 3;

/** A block as all reachable endpoints show it. */
export interface Found extends Omit<Sighting, "isConfirmed" | "amountRaw"> {
  readonly hash: string;
  /** How many endpoints say that it is confirmed. */
  readonly confirmations: number;
  /** What the endpoints say that it moved; not all need to say the same. */
  readonly reportedRaw: ReadonlySet<bigint>;
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
export interface Reader extends Pick<Surroundings, "wait"> {
  readonly nodes: Nodes;
  readonly poll_ms: number;
}

/** The block with this hash; null when no reachable endpoint has it. */
export async function find(
  { nodes }: Reader,
  hash: string,
  signal: AbortSignal,
): Promise<Found | null> {
  const confirmed = (seen: readonly (Sighting | null)[]) =>
    seen.filter((sighting) => sighting?.isConfirmed === true).length;
  const answers = await nodes.all(
    (endpoint, limit) => sight(endpoint, hash, limit),
    (seen) => confirmed(seen) >= nodes.quorum,
    signal,
  );
  const seen = answers.filter((sighting) => sighting !== null);
  const [first] = seen;
  if (first === undefined) return null;
  return {
    ...first,
    hash,
    confirmations: confirmed(seen),
    receiveHash: seen.map(({ receiveHash }) => receiveHash).find((h) => h !== null) ?? null,
    reportedRaw: new Set(seen.flatMap(({ amountRaw }) => amountRaw ?? [])),
  };
}

/** The block once the quorum says that it is confirmed; null when that takes longer than about 2 s. */
export async function confirmed(
  reader: Reader,
  block: Found,
  signal: AbortSignal,
): Promise<Found | null> {
  let latest = block;
  for (let poll = 0; latest.confirmations < reader.nodes.quorum; poll++) {
    if (poll === CONFIRMATION_POLLS) return null;
    await reader.wait(reader.poll_ms, signal);
    latest = (await find(reader, block.hash, signal)) ?? latest;
  }
  return latest;
}

/** The account that a block sends to, if it is a send: a state block's link may also be a hash. */
export function targetOf({ block }: Pick<Found, "block">): PublicKey | null {
  if (block.type === "state") return publicKeyOf(block.link);
  return block.type === "send" ? block.destination : null;
}

/** The send that a block receives, if it is a receive. */
export function sourceOf({ block }: Pick<Found, "block">): string | null {
  if (block.type === "state") return block.link;
  return block.type === "open" || block.type === "receive" ? block.source : null;
}

/** What a block moved: by its balances where they can be had, else as the endpoints say. */
export async function movementOf(
  reader: Reader,
  found: Found,
  signal: AbortSignal,
): Promise<Movement> {
  const { block } = found;
  if (block.type === "change") return { direction: "none", amountRaw: 0n, source: "balances" };
  if (block.type === "open" || block.type === "receive") return reported(reader, found, "in");
  const before = await balanceBefore(reader, found, signal);
  if (before === null) return reported(reader, found, directionOf(found));
  const gained = block.balance - before;
  if (gained === 0n) return { direction: "none", amountRaw: 0n, source: "balances" };
  return gained > 0n
    ? { direction: "in", amountRaw: gained, source: "balances" }
    : { direction: "out", amountRaw: -gained, source: "balances" };
}

/** A legacy send says so itself; of a state block without its predecessor the node says it. */
function directionOf({ block, subtype }: Found): Movement["direction"] {
  if (block.type === "send" || subtype === "send" || subtype === null) return "out";
  return subtype === "receive" || subtype === "open" ? "in" : "none";
}

function reported(
  { nodes }: Reader,
  { reportedRaw }: Found,
  direction: Movement["direction"],
): Movement {
  if (reportedRaw.size > 1) throw nodes.contradiction("endpoints differ in an amount");
  const [amountRaw = null] = reportedRaw;
  return { direction, amountRaw, source: "node" };
}

/** The balance before a block, as its predecessor's hash proves it; null when it cannot be had. */
async function balanceBefore(
  { nodes }: Reader,
  { block, account }: Found,
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
