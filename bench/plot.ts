import type { Figure } from "./figure.ts";

const ROW = 26;
const TOP = 56;
const LABELS = 420;
const BARS = 420;
const WIDTH = LABELS + BARS + 60;
const RATIO_MAX = 1.4;

// The page around it decides between light and dark; the marks keep their contrast on both.
const STYLE = `
  svg { --ink: #1f2328; --faint: #8c959f; --bar: #4c8dd6; --miss: #d1532b; background: #ffffff }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6edf3; --faint: #6e7681; --bar: #3f7fc4; --miss: #e0653c; background: #0d1117 }
  }
  text { font: 13px system-ui, sans-serif; fill: var(--ink) }
  .bar { fill: var(--bar) } .miss { fill: var(--miss) }
  .spread { stroke: var(--ink); stroke-width: 1.5 } .limit { stroke: var(--ink); stroke-width: 3 }
  .grid { stroke: var(--faint); stroke-width: 0.5 } .small { font-size: 11px; fill: var(--faint) }`;

const x = (ratio: number): number =>
  LABELS + Math.round((Math.min(ratio, RATIO_MAX) / RATIO_MAX) * BARS);

/** An SVG of the ratios that have a floor: a bar each, its spread, and the floor as a thick mark. */
export function plot(figures: readonly Figure[]): string {
  const ratios = figures.filter(({ unit, bound }) => unit === "×" && bound === "at least");
  const height = TOP + ratios.length * ROW + 12;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>Measured ratios and their floors</title><style>${STYLE}\n</style>`,
    `<text x="12" y="22">Answers per second, as a part of the other side's</text>`,
    `<text x="12" y="42" class="small">bar: median of the rounds; line: lowest to highest; thick mark: the floor</text>`,
    ...[0, 0.25, 0.5, 0.75, 1, 1.25].map((ratio) => gridLine(ratio, height)),
    ...ratios.map(row),
    "</svg>\n",
  ].join("\n");
}

const line = (kind: string, [x1, y1]: readonly number[], [x2, y2]: readonly number[]): string =>
  `<line class="${kind}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;

const gridLine = (ratio: number, height: number): string =>
  `${line("grid", [x(ratio), TOP - 4], [x(ratio), height - 8])}<text class="small" text-anchor="middle" x="${x(ratio)}" y="${TOP - 8}">${ratio}</text>`;

function row({ name, value, min, max, limit }: Figure, index: number): string {
  const y = TOP + index * ROW;
  const middle = y + ROW / 2;
  return [
    `<text x="${LABELS - 8}" y="${middle + 4}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${value >= limit ? "bar" : "miss"}" x="${LABELS}" y="${y + 5}" width="${x(value) - LABELS}" height="${ROW - 10}"/>`,
    line("spread", [x(min), middle], [x(max), middle]),
    line("limit", [x(limit), y + 2], [x(limit), y + ROW - 2]),
    `<text x="${x(Math.max(max, limit)) + 6}" y="${middle + 4}">${value.toFixed(2)}</text>`,
  ].join("");
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
