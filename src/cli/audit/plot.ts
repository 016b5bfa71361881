/** Lines over time. */
export interface Plot<Point> {
  readonly title: string;
  /** Up to three, each with its name. */
  readonly lines: readonly (readonly [name: string, value: (point: Point) => number])[];
}

const [WIDTH, HEIGHT] = [360, 190];
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 8, 8, 22];
const COLOURS = ["a", "b", "c"];

/** Points that are drawn, at most: there are not more pixels. */
const POINTS_MAX = 400;

/** A figure with an SVG, whose colours are those of the page around it. */
export function plot<Point extends { readonly at: number }>(
  { title, lines }: Plot<Point>,
  points: readonly Point[],
): string {
  const drawn = thinned(points);
  const [from, to] = [drawn[0]?.at ?? 0, drawn.at(-1)?.at ?? 0];
  const top = niceTop(Math.max(...lines.flatMap(([, value]) => drawn.map(value))));
  const x = (at: number) => LEFT + ((at - from) / Math.max(1, to - from)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const path = (value: (point: Point) => number) =>
    drawn
      .map(
        (point, i) =>
          `${i === 0 ? "M" : "L"}${x(point.at).toFixed(1)} ${y(value(point)).toFixed(1)}`,
      )
      .join("");
  const keys = lines.map(
    ([name], i) => `<span class="key ${COLOURS[i]}">■</span> ${escaped(name)}`,
  );
  return [
    `<figure><figcaption><b>${escaped(title)}</b> ${keys.join(" ")}</figcaption>`,
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">`,
    ...[0, top / 2, top].map((value) => gridLine(y(value), value)),
    ...lines.map(([, value], i) => `<path class="${COLOURS[i]}" d="${path(value)}"/>`),
    dateLabel(LEFT, "start", from),
    dateLabel(WIDTH - RIGHT, "end", to),
    "</svg></figure>",
  ].join("");
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

const gridLine = (y: number, value: number): string =>
  `<line class="axis" x1="${LEFT}" y1="${y}" x2="${WIDTH - RIGHT}" y2="${y}"/><text class="label" text-anchor="end" x="${LEFT - 5}" y="${y + 4}">${short(value)}</text>`;

const short = (value: number): string =>
  value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 });

const dateLabel = (x: number, anchor: "start" | "end", at: number): string =>
  `<text class="label" text-anchor="${anchor}" x="${x}" y="${HEIGHT - 6}">${dateOf(at)}</text>`;

const dateOf = (at: number): string => new Date(at * 1_000).toISOString().slice(0, 10);

/** Text that is no markup. */
export const escaped = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
