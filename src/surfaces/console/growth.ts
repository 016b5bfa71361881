import { type Sample, type SPANS, samplesOf } from "../../domains/operator/samples/samples.ts";
import type { ServiceContext } from "../../platform/context.ts";
import { type Html, html, type Part } from "../../platform/kernel/html.ts";
import { type Plot, plot } from "../../platform/kernel/plot.ts";
import { DAY_S } from "../../platform/kernel/time.ts";
import type { Sent } from "./form.ts";
import { bytesOf } from "./view.ts";

type Span = keyof typeof SPANS;

const TITLES: Readonly<Record<Span, string>> = {
  "24h": "24 h",
  "7d": "7 days",
  "30d": "30 days",
  all: "all",
};

const MICRO = 1_000_000;

const figure =
  (name: string, unit = 1) =>
  ({ figures }: Sample): number | null => {
    const value = figures[name];
    return value === undefined ? null : value / unit;
  };

/** A sum of figures; a gap where one is missing. */
const together =
  (...names: readonly string[]) =>
  ({ figures }: Sample): number | null => {
    const values = names.map((name) => figures[name]);
    return values.reduce<number | null>(
      (sum, value) => (sum === null || value === undefined ? null : sum + value),
      0,
    );
  };

/** A sample with what was granted a day since the one before it. */
type Grown = Sample & { readonly granted: number | null };

/** The pool itself is a flat line, so its plot shows how fast it goes. */
const withGrants = (samples: readonly Sample[]): readonly Grown[] =>
  samples.map((sample, i) => {
    const before = samples[i - 1];
    const now = sample.figures["granted_micro"];
    const then = before?.figures["granted_micro"];
    const days = (sample.at - (before?.at ?? 0)) / DAY_S;
    const isKnown = now !== undefined && then !== undefined;
    return { ...sample, granted: isKnown ? (now - then) / MICRO / days : null };
  });

const PLOTS: readonly Plot<Grown>[] = [
  { title: "Ledger", lines: [["entries", figure("entries")]] },
  {
    title: "Agents and works",
    lines: [
      ["agents", figure("agents")],
      ["works", together("repos", "commits", "apps", "requests_answered", "tasks_passed")],
    ],
  },
  { title: "Posts", lines: [["posts", figure("posts")]] },
  { title: "Coins granted", lines: [["a day", ({ granted }) => granted]] },
  {
    title: "Market",
    lines: [
      ["open orders", figure("orders_open")],
      ["debts", figure("debts_due")],
    ],
  },
  { title: "Database", lines: [["size", figure("database_bytes")]], show: bytesOf },
];

const spanOf = (asked: string | undefined): Span =>
  asked === "7d" || asked === "30d" || asked === "all" ? asked : "24h";

/** Plots of what the network has become, over a span that the query names. */
export async function growthOf(
  context: Pick<ServiceContext, "read" | "clock">,
  query: Sent,
): Promise<Html> {
  const span = spanOf(query["span"]);
  const samples = await samplesOf(context, span);
  const tab = ([name, title]: [string, string]): Part =>
    html`<li><a href="?span=${name}"${name === span ? html` aria-current="true"` : null}>${title}</a></li>`;
  const drawn =
    samples.length < 2
      ? html`<p class="none">There are not enough samples yet: one is taken every 5 minutes, one each hour and one each day.</p>`
      : html`<div class="plots">${PLOTS.map((each) => plot(each, withGrants(samples)))}</div>`;
  return html`<h2>Growth</h2><ul class="tabs">${Object.entries(TITLES).map(tab)}</ul>${drawn}`;
}
