import { KIND_ROWS } from "../../../rows.ts";

/** The kinds from which no row and no figure follows, each with the reason. */
export const KINDS_NOT_COMPARED: Readonly<Record<string, string>> = Object.fromEntries(
  [
    [
      "doubt_dismissed",
      "says why the operator asks no more about a transfer that nobody has proven",
    ] as const,
    ...KIND_ROWS.flatMap(({ entry: { kind }, without }) =>
      without === undefined ? [] : [[kind, without] as const],
    ),
  ].toSorted(([one], [other]) => (one < other ? -1 : 1)),
);
