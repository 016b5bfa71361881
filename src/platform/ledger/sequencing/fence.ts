import { Rejection } from "../../kernel/contract/errors.ts";
import { genesis, rulesAdopted } from "../entries.ts";
import { RULES } from "../rules.ts";

/**
 * Keeps a program from writing to a ledger under later rules than its own: its entries would keep rules that are
 * not in force any more. Reads, seals and the log go on.
 */
export interface RulesFence {
  /** The version that the entries of this program keep. */
  readonly rules: number;
  /** Hears which version the head of the ledger names; 0 before the first entry. */
  observe(inForce: number): void;
  /** A sentence, or null while this program may write. */
  why(): string | null;
  /** Rejects with 503 `storage_unavailable` while it may not. */
  demand(): void;
}

/** `onLater` hears of later rules once. */
export function rulesFence(
  rules = RULES,
  onLater: (inForce: number) => void = () => {},
): RulesFence {
  let latest = 0;

  const why = () =>
    latest > rules
      ? `The ledger follows rules ${latest}, and this program knows rules ${rules}: its operator has to start a newer version.`
      : null;

  return {
    rules,
    observe(inForce) {
      const isNew = inForce > rules && latest <= rules;
      latest = Math.max(latest, inForce);
      if (isNew) onLater(inForce);
    },
    why,
    demand() {
      const sentence = why();
      if (sentence !== null)
        throw new Rejection("storage_unavailable", `${sentence} Nothing was stored.`);
    },
  };
}

/** An entry, which may say which rules are in force from there on. */
interface Naming {
  readonly kind: string;
  readonly body: Readonly<Record<string, string | number | undefined>>;
}

/** The version in force after the entries, which follow one that had `before`. */
export function rulesAfter(before: number, entries: readonly Naming[]): number {
  const naming = entries.findLast(
    ({ kind }) => kind === rulesAdopted.kind || kind === genesis.kind,
  );
  return naming === undefined ? before : Number(naming.body["rules"]);
}
