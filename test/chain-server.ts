import { createServer, type ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import type { Seal } from "../src/platform/kernel/proof/seal-text.ts";
import { type Chain, proofOf } from "./chain.ts";

/** Answers one request; the path is without `/api/v1`. */
export type Answer = (path: string, query: URLSearchParams) => unknown;

/** An answer that is not the JSON of a success. */
export class Raw {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    this.status = status;
    this.body = body;
  }
}

const missing = (error: string) =>
  new Raw(404, JSON.stringify({ ok: false, error, message: "No." }));

/** What a service without faults answers over a chain. `keys` are named oldest first. */
export function serviceOf(chain: Chain, origin: string, keys: readonly object[]): Answer {
  const routes: Record<string, (query: URLSearchParams) => unknown> = {
    "/verify": () => ({
      origin,
      public_key: null,
      algo: "ed25519",
      keys,
      announcements: [],
      how_to_verify: [],
      token_pattern: "",
    }),
    "/seal": (query) => sealsAnswer(chain.seals, origin, query),
    "/seal/proof": (query) => proofAnswer(chain, query),
    "/since": (query) => sinceAnswer(chain, query),
  };
  return (path, query) => routes[path]?.(query) ?? missing("not_found");
}

function sealsAnswer(all: readonly Seal[], origin: string, query: URLSearchParams) {
  const after_seq = Number(query.get("after_seq"));
  const seals = all.filter(({ seq }) => seq > after_seq).slice(0, Number(query.get("limit")));
  return {
    origin,
    seals,
    count: seals.length,
    total: all.length,
    head: all.at(-1) ?? null,
    unsigned_seqs: [],
    unsealed: { entries: 0, oldest_at: null, seal_by: null },
    chain_intact: true,
    verified_through_seq: all.length,
    verified_at: null,
    first_broken_seq: null,
    what_this_is: "",
    honest_limit: "",
    verify: "",
  };
}

function proofAnswer(chain: Chain, query: URLSearchParams) {
  const [kind, ref] = [query.get("kind") ?? "", query.get("id") ?? ""];
  const proof = proofOf(chain, kind, ref);
  if (proof === undefined) return missing("entry_not_found");
  const { seal } = proof;
  const ledger_id = seal.from_id + proof.index;
  return {
    ...proof,
    root: seal.root,
    count: seal.count,
    ledger_id,
    kind,
    ref,
    signed_message: null,
  };
}

function sinceAnswer(chain: Chain, query: URLSearchParams) {
  const after_id = Number(query.get("after_id"));
  const found = chain.entries
    .filter(({ id }) => id > after_id)
    .slice(0, Number(query.get("limit")));
  const entries = found.map(({ body, leaf, ...entry }) => ({
    ...entry,
    body: JSON.parse(body),
    text: {},
    leaf: leaf.toHex(),
  }));
  return { entries, count: entries.length, next_since: 0, after_id, more: false };
}

/** Listens until the test ends; resolves to the base URL. */
export async function listening(t: TestContext, answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    send(response, answer(pathname.replace(/^\/api\/v1/, ""), searchParams));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("There is no address.");
  return `http://127.0.0.1:${address.port}`;
}

function send(response: ServerResponse, answered: unknown): void {
  const isRaw = answered instanceof Raw;
  response.statusCode = isRaw ? answered.status : 200;
  response.end(isRaw ? answered.body : JSON.stringify({ ok: true, ...Object(answered) }));
}
