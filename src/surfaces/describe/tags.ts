import { contracts } from "../../domains/contracts.ts";

/** The parts of the interface: one for each domain, and two that are no domain of the network's own. */
export const TAGS: readonly string[] = ["discovery", "original", ...Object.keys(contracts)];

/** Says which words a field takes. */
export const oneOf = (words: readonly string[]): string => `must be one of ${words.join(", ")}`;
