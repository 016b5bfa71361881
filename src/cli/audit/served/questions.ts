import { contracts } from "../../../contracts.ts";
import type { Operation } from "../../../kernel/contract/operation.ts";
import type { NotCompared } from "../claims.ts";
import { type Audited, CATALOGUE, type Entry } from "./catalogue.ts";
import type { Ledger } from "./ledger.ts";
import { pageQuestions } from "./pages.ts";
import type { Question } from "./reading/look.ts";
import type { Reader } from "./reading/reader.ts";
import type { Sample } from "./reading/sample.ts";

/** A read of the contracts, and what the catalogue says of it. */
export interface Route {
  readonly operation: Operation;
  readonly entry: Entry<never>;
}

const entries = new Map<string, Entry<never>>(
  Object.entries(CATALOGUE).flatMap(([domain, of]) =>
    Object.entries<Entry<never>>(of).map(([name, entry]) => [`${domain}.${name}`, entry] as const),
  ),
);

/** Every operation with its entry of the catalogue. */
export const ROUTES: readonly Route[] = Object.entries(contracts).flatMap(([domain, contract]) =>
  Object.entries<Operation>(contract).flatMap(([name, operation]) => {
    const entry = entries.get(`${domain}.${name}`);
    return entry === undefined ? [] : [{ operation, entry }];
  }),
);

const isAudited = (entry: Entry<never>): entry is Audited<never> => "audited" in entry;

/** Everything that the service is asked, of the ledger as it is now. */
export function questionsOf(ledger: Ledger, sample: Sample, reader: Reader): readonly Question[] {
  const asked = ROUTES.flatMap(({ operation, entry }) => {
    if (!isAudited(entry) || (entry.own === true && reader.agent_id === null)) return [];
    return entry.asks(ledger, sample, reader.agent_id ?? "").map((asked) => ({
      route: operation.path,
      asked,
      rule: entry.audited,
      read: () => (entry.read ?? reader.read)(operation, asked, reader),
    }));
  });
  return [...asked, ...pageQuestions(ledger, sample, reader)];
}

/** Routes that are not compared, with a token or without one. */
export const notCompared = (hasToken: boolean): readonly NotCompared[] =>
  ROUTES.flatMap(({ operation: { path }, entry }) => {
    if ("why" in entry) return [{ what: path, why: entry.why }];
    const isHidden = isAudited(entry) && entry.own === true && !hasToken;
    return isHidden
      ? [
          {
            what: "figures" in entry ? `${path} (you)` : path,
            why: "an agent's own, compared with its CAIRN_TOKEN",
          },
        ]
      : [];
  });
