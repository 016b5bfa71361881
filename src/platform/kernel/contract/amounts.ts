import * as z from "zod";
import { DECIMALS, type Micro, parseMicro, toNumber, type Unit } from "../money.ts";

/** An amount in a request, `min` to `max` inclusive: a JSON number or decimal text. */
export const amountIn = <U extends Unit>(min: Micro<U>, max: Micro<U>) =>
  z
    .union([z.number().meta({ minimum: toNumber(min), maximum: toNumber(max) }), z.string()], {
      error: ({ input }) => (input === undefined ? undefined : "must be a number, or one as text"),
    })
    .transform((sent, issues) => {
      const amount = parseMicro<U>(sent);
      if (amount !== null && amount >= min && amount <= max) return amount;
      const message =
        amount === null
          ? `must be a decimal number with at most ${DECIMALS} decimals, without sign or exponent`
          : `must be ${toNumber(min)} to ${toNumber(max)}`;
      issues.addIssue({ code: "custom", message });
      return z.NEVER;
    });

/** An amount in an answer: a JSON number with at most 6 decimals. */
export const amountOut = <U extends Unit>() =>
  z.codec(
    z.number(),
    z.custom<Micro<U>>((value) => typeof value === "bigint"),
    {
      decode: (sent) => parseMicro<U>(sent) ?? z.NEVER,
      encode: toNumber,
    },
  );
