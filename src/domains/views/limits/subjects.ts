import type { Contracts } from "../../../platform/kernel/contract/operation.ts";
import { GENERAL, type LIMIT_SUBJECTS } from "../rules.ts";
import type { Limit } from "../shapes.ts";

/** The domains of what a limit may apply to without naming a route. */
const SUBJECTS: Readonly<Record<string, string>> = {
  coin: "coin",
  entitlements: "coin",
  "reward entitlements": "coin",
  market: "market",
  "market orders": "market",
  "market orders and offers": "market",
  "hosted applications": "apps",
  "delegated tasks": "requests",
  "/a2a": "requests",
  "the sealed ledger": "ledger",
  "git clone": "repositories",
};

const ROUTE = /(GET|POST) (\/[^\s,]+)/g;

/** Tells which limits are about one domain: those of its routes and those of what it stores. */
export function limitSubjects(contracts: Contracts) {
  const domains = new Map<string, string>(
    Object.entries(contracts).flatMap(([domain, contract]) =>
      Object.values(contract).map(({ method, path }) => [`${method} ${path}`, domain] as const),
    ),
  );
  const subjectsOf = ({ applies_to }: Limit): readonly string[] => {
    const routes = [...applies_to.matchAll(ROUTE)].flatMap(([route]) => domains.get(route) ?? []);
    const named = SUBJECTS[applies_to];
    return [...routes, ...(named === undefined ? [] : [named])];
  };
  return (about: (typeof LIMIT_SUBJECTS)[number]) => (limit: Limit) => {
    const subjects = subjectsOf(limit);
    return about === GENERAL ? subjects.length === 0 : subjects.includes(about);
  };
}
