/** A holder as the pool tells it from others: an agent, a network, a connection. */
type Name = string | object;

/** One holder on the way to a claim, and the most that it may hold at once. */
export interface Share {
  readonly name: Name;
  readonly max: number;
}

/** A part of the pool that somebody holds. */
export interface Claim {
  /** Takes so much more. False when a share is used up, or when its holder has most: then nothing is taken. */
  grow(size: number): boolean;
  /** The same, but it is never refused: in whichever share is used up, the holder with most makes room. */
  insist(size: number): void;
  /** Gives everything back. Only the first call counts. */
  leave(): void;
}

export interface FairPool {
  /**
   * Begins a claim of nothing. `shares` go from the outside in: site, network, agent. `displace` is called once
   * when the claim has to make room; it holds nothing from then on.
   */
  claim(shares: readonly Share[], displace: () => void): Claim;
  size(): number;
}

interface Held {
  readonly shares: readonly Share[];
  readonly displace: () => void;
  size: number;
  isOver: boolean;
}

/** A holder with everything that its claims hold. */
interface Branch {
  size: number;
  readonly within: Map<Name, Branch>;
  /** In the order of their beginning. */
  readonly claims: Set<Held>;
}

const branch = (): Branch => ({ size: 0, within: new Map(), claims: new Set() });

/**
 * A pool of `max` units that nobody can take alone. When it is full, the holder with most makes room for
 * one with less: of the networks the one with most, within it the agent with most, of its claims the largest,
 * and of equal ones the oldest.
 */
export function fairPool(max: number): FairPool {
  const root = branch();

  /** The branches of a claim from the outside in, as far as they exist. */
  function* branchesOf({ shares }: Held): Generator<readonly [Branch | undefined, Share]> {
    let at: Branch | undefined = root;
    for (const share of shares) {
      at = at?.within.get(share.name);
      yield [at, share];
    }
  }

  function isWithinShares(held: Held, size: number): boolean {
    for (const [at, share] of branchesOf(held))
      if ((at?.size ?? 0) + size > share.max) return false;
    return true;
  }

  function add(held: Held, size: number): void {
    let at = root;
    at.size += size;
    for (const { name } of held.shares) {
      const next = at.within.get(name) ?? branch();
      at.within.set(name, next);
      next.size += size;
      at = next;
    }
    at.claims.add(held);
    held.size += size;
  }

  function remove(held: Held): void {
    held.isOver = true;
    let at = root;
    at.size -= held.size;
    for (const { name } of held.shares) {
      const next = at.within.get(name);
      if (next === undefined) return;
      next.size -= held.size;
      if (next.size === 0) at.within.delete(name);
      at = next;
    }
    at.claims.delete(held);
  }

  function displace(victim: Held): void {
    remove(victim);
    victim.displace();
  }

  function makeRoom(held: Held, size: number): boolean {
    while (root.size + size > max) {
      const victim = victimOf(root, held, size);
      if (victim === undefined) return false;
      displace(victim);
    }
    return true;
  }

  function makeRoomWithin(held: Held, size: number): void {
    for (const [at, share] of [[root, { max }] as const, ...branchesOf(held)])
      while (at !== undefined && at.size + size > share.max) {
        const victim = heaviestIn(at);
        if (victim === undefined) return;
        displace(victim);
      }
  }

  return {
    claim(shares, displace) {
      const held: Held = { shares, displace, size: 0, isOver: false };
      return {
        grow(size) {
          if (held.isOver || !isWithinShares(held, size) || !makeRoom(held, size)) return false;
          add(held, size);
          return true;
        },
        insist(size) {
          makeRoomWithin(held, size);
          add(held, size);
        },
        leave() {
          if (!held.isOver && held.size > 0) remove(held);
          held.isOver = true;
        },
      };
    },
    size: () => root.size,
  };
}

/** The claim that makes room for `size` more of another; undefined when that one's holder has most itself. */
function victimOf(root: Branch, { shares }: Held, size: number): Held | undefined {
  let at = root;
  for (const { name } of shares) {
    const own = at.within.get(name);
    const most = largest(at.within.values());
    if (most === undefined) return;
    if (most !== own) return most.size > (own?.size ?? 0) + size ? heaviestIn(most) : undefined;
    at = own;
  }
  return;
}

function heaviestIn(from: Branch): Held | undefined {
  let at = from;
  for (let next = largest(at.within.values()); next !== undefined; ) {
    at = next;
    next = largest(at.within.values());
  }
  return largest(at.claims);
}

/** Of equal ones the first. */
function largest<T extends { readonly size: number }>(all: Iterable<T>): T | undefined {
  let most: T | undefined;
  for (const one of all) if (most === undefined || one.size > most.size) most = one;
  return most;
}
