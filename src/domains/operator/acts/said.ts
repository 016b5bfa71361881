import { FLAG_RULES } from "../../../platform/kernel/flags.ts";
import { PROMISES } from "../../views/about/promises.ts";
import { oneOf } from "../values.ts";

/** The published rules: those that reports cite, and those of the text check. */
export const rule = oneOf(
  ...PROMISES.rules.map((published) => published.id),
  ...FLAG_RULES.map((published) => published.id),
).meta({ labels: Object.fromEntries(PROMISES.rules.map(({ id, text }) => [id, text])) });

/** A hiding in public says why. */
export const WHY = ["rule", "reason"] as const;

export const broken = "the published rule that it breaks";
