import * as z from "zod";
import { type Sample, type Sampled, takeSample } from "../../domains/transfers/rates.ts";
import { RATE_DECIMALS, unitsOf } from "../../domains/transfers/rules.ts";
import type { Context } from "../../platform/context.ts";

const PRICES =
  "https://api.coingecko.com/api/v3/simple/price?ids=nano,monero&vs_currencies=usd&include_last_updated_at=true&precision=full";

const ANSWER_MAX_MS = 5_000;
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Asks a public source what XNO and XMR are worth. What it says is held against bounds
 * (`judgeSample`) before anything is priced with it. A failed request throws, and the last
 * accepted prices stay.
 */
export function rateRefresh(
  context: Pick<Context, "read" | "write" | "clock" | "settings">,
  network: typeof fetch,
): () => Promise<void> {
  const doubted = new Map<Sampled, bigint>();

  return async () => {
    for (const sample of samplesIn(await answerOf(network))) {
      const { currency, usd_e8 } = sample;
      const judgement = await takeSample(context, sample, doubted.get(currency) ?? null);
      if (judgement === "doubted") doubted.set(currency, usd_e8);
      else doubted.delete(currency);
    }
  };
}

/** The body of the source's answer, but no more of it than is allowed. */
async function answerOf(network: typeof fetch): Promise<string> {
  const signal = AbortSignal.timeout(ANSWER_MAX_MS);
  const response = await network(PRICES, { redirect: "error", signal });
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error("The source of prices answers over 64 KiB.");
    text += decoder.decode(chunk, { stream: true });
  }
  if (!response.ok) throw new Error(`The source of prices answers ${response.status}.`);
  return text;
}

/** Digits as they were sent: without an exponent, and cut after the last decimal of a rate. */
const price = z
  .string()
  .regex(/^[0-9]{1,12}(\.[0-9]{1,40})?$/)
  .transform((text) => text.replace(/(\.[0-9]{8})[0-9]+$/, "$1"))
  .transform((text) => unitsOf(text, RATE_DECIMALS) ?? 0n);

const quote = z.object({
  usd: price,
  last_updated_at: z
    .string()
    .regex(/^[0-9]{1,12}$/)
    .transform(Number),
});

const answer = z.object({ nano: quote, monero: quote });

/** Numbers are taken as text, so that no price passes through a float. */
function samplesIn(text: string): Sample[] {
  const asText = (_: string, value: unknown, ...[from]: readonly { source?: string }[]) =>
    typeof value === "number" ? from?.source : value;
  const { nano, monero } = answer.parse(JSON.parse(text, asText));
  return [
    { currency: "xno", usd_e8: nano.usd, sampled_at: nano.last_updated_at },
    { currency: "xmr", usd_e8: monero.usd, sampled_at: monero.last_updated_at },
  ];
}
