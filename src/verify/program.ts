import { networkChain } from "./network.ts";
import { outcomeOf } from "./outcome.ts";
import { print } from "./print.ts";
import { jsonReport } from "./report.ts";
import type { ChainRecord, ChainSource } from "./shapes.ts";
import { baseOf, endOf } from "./shell.ts";

/** What a page verifies. */
export interface PageOptions {
  /** The base URL of a service. */
  readonly url: string;
  /** The key of seal 1 first, then each that no rotation links; default: the service's own. */
  readonly keys?: readonly string[];
  /** The origin of the chain; default: the service's own. */
  readonly origin?: string;
  /** Told of each seal that was read. */
  readonly onProgress?: (read: { readonly seal: number; readonly of: number }) => void;
  readonly signal?: AbortSignal;
}

/**
 * Verifies the chain of a service with every entry, and resolves to the report that `--json` prints.
 * Rejects with an Error that has `exitCode` when it cannot be read, or with the signal's reason.
 */
export async function verify({ url, keys = [], origin, onProgress, signal }: PageOptions) {
  const from = { kind: "network", address: baseOf(url) } as const;
  const options = { from, depth: "entries", keys, origin, state: null } as const;
  const outcome = await outcomeOf(options, async () => {
    const source = await networkChain(from.address, "entries", signal);
    return onProgress === undefined ? source : withProgress(source, onProgress);
  });
  return jsonReport(outcome);
}

/** The same chain, with a callback for each seal that is read. */
function withProgress(
  { header, records }: ChainSource,
  onProgress: (read: { readonly seal: number; readonly of: number }) => void,
): ChainSource {
  async function* shown(): AsyncGenerator<ChainRecord> {
    for await (const record of records) {
      if (record.type === "seal") onProgress({ seal: record.seq, of: header.head?.seq ?? 0 });
      yield record;
    }
  }
  return { header, records: shown() };
}

/** Whether this file is what the runtime was started with. */
async function isProgram(): Promise<boolean> {
  if (typeof process === "undefined" || !process.versions?.node) return false;
  if (import.meta.main !== undefined) return import.meta.main;
  const [{ realpathSync }, { fileURLToPath }] = await Promise.all([
    import("node:fs"),
    import("node:url"),
  ]);
  const [, started] = process.argv;
  return started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url);
}

if (await isProgram()) {
  process.exitCode = await print(await endOf(process.argv.slice(2), process.env));
}
