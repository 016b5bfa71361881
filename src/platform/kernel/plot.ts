import { type Html, html } from "./html.ts";
import { dayOf, isoOf } from "./iso-time.ts";

/** Lines over time. */
export interface Plot<Point> {
  readonly title: string;
  /** Up to three, each with its name; null is a gap. */
  readonly lines: readonly (readonly [name: string, value: (point: Point) => number | null])[];
  /** How a value is written; default `12.5K`. */
  readonly show?: (value: number) => string;
}

const WIDTH = 360;
const HEIGHT = 190;
// The longest label beside the axis is `976.6 KiB`.
const LEFT = 66;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 22;
const COLOURS = ["a", "b", "c"];

/** Points that are drawn, at most: there are not more pixels. */
const POINTS_MAX = 400;
const DAY_S = 86_400;

/** A figure with an SVG, whose colours are those of the page around it. The legend has the last values. */
export function plot<Point extends { readonly at: number }>(
  { title, lines, show = short }: Plot<Point>,
  points: readonly Point[],
): Html {
  const drawn = thinned(points);
  const from = drawn[0]?.at ?? 0;
  const to = drawn.at(-1)?.at ?? 0;
  const top = niceTop(
    Math.max(0, ...lines.flatMap(([, of]) => drawn.map((each) => of(each) ?? 0))),
  );
  const x = (at: number) => LEFT + ((at - from) / Math.max(1, to - from)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const path = (of: (point: Point) => number | null): string => {
    let pen = "M";
    return drawn
      .map((point) => {
        const value = of(point);
        const step = value === null ? "" : `${pen}${x(point.at).toFixed(1)} ${y(value).toFixed(1)}`;
        pen = value === null ? "M" : "L";
        return step;
      })
      .join("");
  };
  const last = (of: (point: Point) => number | null): string => {
    const value = drawn.map(of).findLast((each) => each !== null) ?? null;
    return value === null ? "not known" : show(value);
  };
  const keys = lines.map(
    ([name, of], i) =>
      html` <span class="key"><span class="${COLOURS[i] ?? ""}" aria-hidden="true">■</span> ${name} ${last(of)}</span>`,
  );
  const described = `${title}: ${lines.map(([name, of]) => `${name} ${last(of)}`).join(", ")}`;
  const label = to - from < 2 * DAY_S ? timeOf : dayOf;
  return html`<figure><figcaption><b>${title}</b>${keys}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${described}">${[0, top / 2, top].map((value) => gridLine(y(value), show(value)))}
${lines.map(([, of], i) => html`<path class="${COLOURS[i] ?? ""}" d="${path(of)}"/>`)}
${endLabel(LEFT, "start", label(from))}${endLabel(WIDTH - RIGHT, "end", label(to))}</svg></figure>
`;
}

function thinned<Point>(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / POINTS_MAX);
  return points.filter((_, i) => i % step === 0 || i === points.length - 1);
}

/** 1, 2 or 5 times a power of ten, not below a value. */
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((digit) => digit * power).find((top) => top >= value) ?? value;
}

const gridLine = (y: number, value: string): Html =>
  html`<line class="axis" x1="${LEFT}" y1="${y}" x2="${WIDTH - RIGHT}" y2="${y}"/><text class="label" text-anchor="end" x="${LEFT - 5}" y="${y + 4}">${value}</text>`;

const short = (value: number): string =>
  value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });

const endLabel = (x: number, anchor: "start" | "end", at: string): Html =>
  html`<text class="label" text-anchor="${anchor}" x="${x}" y="${HEIGHT - 6}">${at}</text>`;

const timeOf = (at: number): string => /T(\d+:\d+)/.exec(isoOf(at))?.[1] ?? isoOf(at);
