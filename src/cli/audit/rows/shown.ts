import {
  type Figures,
  type Made,
  type Told,
  UNSEALED,
  type Value,
} from "../../../platform/ledger/rows/told.ts";

/** Whether a stored figure is what the ledger makes it. */
export function isMade(stored: Value, made: Told, slack_s: number): boolean {
  if (made === UNSEALED) return true;
  if (typeof made === "object" && made !== null)
    return typeof stored === "number" && Math.abs(made.near - stored) <= slack_s;
  return text(stored) === text(made);
}

const text = (value: Value): string => `${value ?? "-"}`;

/** Figures of a row, as one text. */
export const shown = (figures: Figures): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${text(value)}`)
    .join(", ");

/** What the ledger makes of a row, as one text; what agrees is shown as it is stored. */
export const shownMade = (made: Made, stored: Figures | null, slack_s: number): string =>
  Object.keys({ ...stored, ...made })
    .map((name) => `${name} ${shownFigure(made[name], stored?.[name], slack_s)}`)
    .join(", ");

function shownFigure(made: Told, stored: Value, slack_s: number): string {
  if (isMade(stored, made, slack_s)) return text(stored);
  if (typeof made === "symbol") return "-";
  return typeof made === "object" && made !== null ? `about ${made.near}` : text(made);
}
