import type { Store } from "../../platform/db/engine.ts";
import { reject } from "../../platform/kernel/contract/errors.ts";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import { DAY_S, MINUTE_S } from "../../platform/kernel/time.ts";
import type { SteadyClock } from "../../platform/ledger/clocks/steady-clock.ts";
import { type Signing, whyBehind } from "../../platform/ledger/seals/signing.ts";
import type { RulesFence } from "../../platform/ledger/sequencing/fence.ts";
import { wrong } from "../conditions/reasons.ts";
import type { Configuration } from "../settings/settings.ts";

/** Conditions that forbid writes although the storage takes them. */
interface Grounds {
  readonly signing: Signing;
  readonly steady: SteadyClock;
  readonly fence: Pick<RulesFence, "why">;
  readonly isCommand?: true | undefined;
}

/** The writes of a rehearsal: none. It stores nothing that the service notes for itself, either. */
export function refusingAll(): RefusingWrites {
  const { sentence } = wrong("rehearsal");
  return {
    whyRefused: () => sentence,
    write: async () => reject("storage_unavailable", `${sentence} Reads are answered.`),
  };
}

/** The writes of a store, and why they are refused now. */
interface RefusingWrites extends Pick<Store, "write"> {
  /** A sentence, or null while they are taken. */
  whyRefused(): string | null;
}

/**
 * Refuses writes while signed data is missing, because each one on such a fork is one more that the
 * operator has to weigh; while the clock has jumped, because the time of an entry never changes; and on a ledger under
 * later rules, which this program does not keep.
 * Writes reject with 503 `storage_unavailable`.
 */
export function refusingWrites(
  { write }: Pick<Store, "write">,
  { signing, steady, fence, isCommand }: Grounds,
  { onLostSeals }: Pick<Configuration, "onLostSeals">,
): RefusingWrites {
  const whyLost = () => (onLostSeals === "refuse" ? whyBehind(signing) : null);
  const whyRefused = () =>
    whyLost() ?? fence.why() ?? (isCommand === true ? whyApart(steady) : null) ?? whyHeld(steady);

  function demandWritable(): void {
    const why = whyRefused();
    if (why === null) return;
    reject("storage_unavailable", `${why} Nothing was stored, and reads go on. Try again later.`);
  }

  return {
    whyRefused,
    async write(body, kind) {
      demandWritable();
      return write(body, kind);
    },
  };
}

function whyHeld(steady: SteadyClock): string | null {
  if (!steady.isHeld()) return null;
  const ahead_days = Math.floor(steady.ahead_s() / DAY_S);
  return `The clock has jumped ahead by ${ahead_days} days; the operator has to confirm it with \`cairn clock accept\`.`;
}

/** A shell's clock that is more than this away from the service's dates nothing. */
const APART_MAX_S = MINUTE_S;

function whyApart(steady: SteadyClock): string | null {
  const apart_s = steady.apart_s();
  if (Math.abs(apart_s) <= APART_MAX_S) return null;
  const here = steady.now() + steady.ahead_s();
  const [shown, expected] = [here, here - apart_s].map(isoOf);
  return `This machine's clock shows ${shown}, and by the service's it is ${expected}. Set it right, or confirm it with \`cairn clock accept\`.`;
}
