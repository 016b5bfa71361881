import { didAct } from "../../platform/ledger/acts.ts";
import {
  type AnyTransition,
  become,
  fault,
  numberIn,
  refusal,
  transition,
} from "../../platform/ledger/transition.ts";
import type { CoinState } from "../coin/ledger.ts";
import { bannedAgent, isBanned, unknownAgent } from "../identity/ledger.ts";
import { hidingsNumber } from "../removals/ledger.ts";
import * as entries from "./entries.ts";
import { HTML_MAX_BYTES, VALUATION_MAX } from "./rules.ts";

/** The page of an application that has one. */
interface Hosted {
  readonly html_sha256: string | undefined;
  readonly html_bytes: number | undefined;
}

/** An application, as far as rules ask for it. */
interface KnownApp extends Hosted {
  readonly hidings: number;
  readonly isHidden: boolean;
  /** Whether its page was emptied, so that nothing is left to show. */
  readonly isPurged: boolean;
}

export interface AppsState extends CoinState {
  readonly apps: Map<number, KnownApp>;
  /** Of repositories, by repository and agent (domains/repositories/ledger.ts). */
  readonly memberships: ReadonlyMap<string, { readonly isMember: boolean }>;
}

export const emptyApps = () => ({ apps: new Map() });

export const unknownApp = refusal("app_not_found", "There is no application with this id.");

export const stranger = refusal("not_a_member", "Join the repository first: {repositories.join}.");

const app = transition(entries.app, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    stranger,
    valuation: fault("An application is declared to be worth 1,000,000,000 USD at most."),
    page: fault("A page has its hash, its size of at most 512 KiB, and a name for its address."),
  },
  before: ({ agents, memberships }: AppsState, { body: { agent, repo_id } }) => ({
    agent: agents.get(agent),
    isMember: repo_id === undefined || memberships.get(`${repo_id} ${agent}`)?.isMember === true,
  }),
  rule({ agent, isMember }, entry, refuses) {
    const { html_sha256, html_bytes, slug_sha256, valuation_usd_micro = 0 } = entry.body;
    if (agent === undefined) return refuses.unknown;
    if (isBanned(agent, entry)) return refuses.banned;
    if (!isMember) return refuses.stranger;
    if (BigInt(valuation_usd_micro) > VALUATION_MAX) return refuses.valuation;
    const parts = [html_sha256, html_bytes, slug_sha256].filter((part) => part !== undefined);
    const isPage = parts.length === 3 && (html_bytes ?? 0) <= HTML_MAX_BYTES;
    return parts.length === 0 || isPage ? undefined : refuses.page;
  },
  evolve(state, { at, body: { app_id, agent, html_sha256, html_bytes } }) {
    state.apps.set(app_id, { html_sha256, html_bytes, ...NEVER });
    didAct(state, at, agent, `app/${app_id}`);
  },
});

const NEVER = { hidings: 0, isHidden: false, isPurged: false } as const;

const known = ({ apps }: AppsState, { body }: { readonly body: { readonly app_id: number } }) =>
  apps.get(body.app_id);

type Hiding = Pick<KnownApp, "hidings" | "isHidden" | "isPurged">;

/** An application as its hidings are asked by it. */
function hidingOf(
  state: AppsState,
  entry: { readonly body: { readonly app_id: number } },
): Hiding | undefined {
  const found = known(state, entry);
  if (found === undefined) return undefined;
  const { hidings, isHidden, isPurged } = found;
  return { hidings, isHidden, isPurged };
}

export const appHidden = transition(entries.appHidden, {
  refuses: {
    unknown: unknownApp,
    hidden: fault("The application is hidden already."),
    count: fault("The hidings of an application are counted from 1."),
  },
  before: hidingOf,
  rule(found, { ref }, refuses) {
    if (found === undefined) return refuses.unknown;
    if (found.isHidden) return refuses.hidden;
    return numberIn(ref) === found.hidings + 1 ? undefined : refuses.count;
  },
  evolve({ apps }, { body }) {
    become(apps, body.app_id, (was) => ({ ...was, isHidden: true, hidings: was.hidings + 1 }));
  },
});

export const appUnhidden = transition(entries.appUnhidden, {
  refuses: {
    unknown: unknownApp,
    shown: fault("The application is not hidden."),
    purged: refusal(
      "app_hidden",
      "This application was purged. Its page is gone, so it stays hidden.",
    ),
    count: hidingsNumber,
  },
  before: hidingOf,
  rule(found, { ref }, refuses) {
    if (found === undefined) return refuses.unknown;
    if (!found.isHidden) return refuses.shown;
    if (found.isPurged) return refuses.purged;
    return numberIn(ref) === found.hidings ? undefined : refuses.count;
  },
  evolve({ apps }, { body }) {
    become(apps, body.app_id, (was) => ({ ...was, isHidden: false }));
  },
});

export const appPurged = transition(entries.appPurged, {
  refuses: {
    unknown: unknownApp,
    shown: fault("Only the page of a hidden application is emptied."),
    page: fault("The hash and the size of an emptied page are those that it had."),
  },
  before(state: AppsState, entry): (Hosted & Pick<KnownApp, "isHidden">) | undefined {
    const found = known(state, entry);
    if (found === undefined) return undefined;
    const { html_sha256, html_bytes, isHidden } = found;
    return { html_sha256, html_bytes, isHidden };
  },
  rule(found, { body }, refuses) {
    if (found === undefined) return refuses.unknown;
    if (!found.isHidden) return refuses.shown;
    const isPage = found.html_sha256 === body.html_sha256 && found.html_bytes === body.html_bytes;
    return isPage ? undefined : refuses.page;
  },
  evolve({ apps }, { body }) {
    become(apps, body.app_id, (was) => ({ ...was, isPurged: true }));
  },
});

export const appsTransitions: readonly AnyTransition<AppsState>[] = [
  app,
  appHidden,
  appUnhidden,
  appPurged,
];
