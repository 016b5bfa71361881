import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a service in between makes of one answer. */
export type Lie = (body: string) => string | null;

/** A service that passes everything on, and may change what it was told. */
export interface Liar {
  readonly url: string;
  /** Every answer since it was opened, by token, path and query. */
  readonly heard: ReadonlyMap<string, string>;
  /** From now on only the answer of one token, path and query is another one. */
  tell(asked: string, lie: Lie): void;
  /** Before each request; a number of seconds refuses it for so long. */
  before: (path: string) => Promise<number | null>;
  close(): Promise<void>;
}

/** Stands in front of a service. */
export async function openLiar(target: string): Promise<Liar> {
  const heard = new Map<string, string>();
  let reported: readonly [asked: string, lie: Lie] = ["", () => null];
  const server = createServer(async (req, res) => {
    const path = req.url ?? "/";
    const wait_s = await liar.before(path);
    if (wait_s !== null) {
      const type = { "content-type": "application/json", "retry-after": String(wait_s) };
      res.writeHead(429, type).end('{"ok":false,"error":"rate_limited","message":"Wait."}');
      return;
    }
    const { authorization } = req.headers;
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await fetch(`${target}${path}`, { headers, redirect: "manual" });
    const text = await answer.text();
    const asked = `${authorization ?? "nobody"} ${path}`;
    heard.set(asked, text);
    const body = (reported[0] === asked ? reported[1](text) : null) ?? text;
    const type = answer.headers.get("content-type") ?? "text/plain";
    res.writeHead(answer.status, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const liar: Liar = {
    url: `http://127.0.0.1:${port}`,
    heard,
    tell: (asked, lie) => {
      reported = [asked, lie];
    },
    before: async () => null,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return liar;
}
