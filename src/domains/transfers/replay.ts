import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { emptyRegister, type Register, registerUse, type UseStep, useIn } from "./ledger.ts";
import { hashOf, transferKey } from "./rules.ts";

/** As much of an entry as says what a transfer is for. */
interface Entry {
  readonly id: number;
  readonly kind: string;
  readonly body: Readonly<Record<string, string | number>>;
}

/** A second use of a transfer. */
export interface TransferBreach {
  readonly invariant: "I13";
  readonly ledger_id: number;
  readonly rule: string;
}

/** The register of transfers, made again from the ledger alone. */
export interface TransferReplay {
  /** Adds the next entry. */
  add(entry: Entry): void;
  /** Tells the name of a transfer of which the ledger has the hash only. */
  learn(name: string): void;
  /** Every hash that an entry names, as `registerName` has it, with its use. */
  register(): Register["holders"];
  /** Uses of XNO whose transfer may have one more hash, that of the receive, which no entry names. */
  readonly taking: ReadonlySet<string>;
  breaches(): readonly TransferBreach[];
}

/** A key of the register as the ledger has it: free text is there as a hash. */
export const registerName = (key: string): string =>
  hashOf(key) === null ? `other:${sha256Hex(key)}` : key;

/** Proves from the ledger that one hash has at most one use that takes it (I13). */
export function transferReplay(): TransferReplay {
  const steps: (UseStep & { readonly ledger_id: number })[] = [];
  const names = new Map<string, string>();
  const taking = new Set<string>();

  const keyOf = (sealed: string): string => {
    const name = names.get(sealed);
    return name === undefined ? sealed : registerName(transferKey(name));
  };

  function add({ id: ledger_id, kind, body }: Entry): void {
    const step = useIn(kind, body);
    if (step === null) return;
    steps.push({ ...step, ledger_id });
    if ("ended" in step || !step.taking) return;
    if (step.currency === "xno" && step.received === null) taking.add(step.use);
  }

  /** Goes through all uses in their order. */
  function registered() {
    const register = emptyRegister();
    const breaches: TransferBreach[] = [];
    for (const step of steps) {
      const before = registerUse(register, step, (sealed) => [keyOf(sealed)]);
      if (before === undefined || "ended" in step) continue;
      const rule = `I13, ${step.use} is of a transfer that ${before} has used`;
      breaches.push({ invariant: "I13", ledger_id: step.ledger_id, rule });
    }
    return { register: register.holders, breaches };
  }

  return {
    add,
    taking,
    learn: (name) => void names.set(`other:${sha256Hex(name)}`, name),
    register: () => registered().register,
    breaches: () => registered().breaches,
  };
}
