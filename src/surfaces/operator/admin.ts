import { isIP } from "node:net";
import type { Finding } from "../../domains/operator/finding.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import type { Console } from "../console/console.ts";
import type { Listener } from "../http.ts";
import {
  type Answers,
  type Exchange,
  type HeaderList,
  JSON_TYPE,
  NO_STORE,
} from "../wire/answer.ts";
import { edge } from "../wire/edge.ts";

/** What operators' answers carry: no page of another origin may read them. */
export const OPERATOR_HEADERS: HeaderList = [
  ["X-Content-Type-Options", "nosniff"],
  ["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Referrer-Policy", "no-referrer"],
].flat();

export interface AdminParts {
  readonly answers: Answers;
  /** The names that the operator has set for this listener. */
  readonly names: readonly string[];
  /** Findings about the ledger, the storage and the jobs; empty where all is well. */
  readonly unhealthy: () => Promise<readonly Finding[]>;
  /** Why no traffic should come here now, likewise. */
  readonly unready: () => Promise<readonly Finding[]>;
  /** In the text format of Prometheus. */
  readonly metrics: () => Promise<string>;
  /** All below `/console`; null where it is off. */
  readonly console: Console | null;
  /** Where the console is, behind a proxy with TLS; it then answers there alone, and nothing else does. */
  readonly consoleOrigin: string | null;
}

/** A page for operators: its status, type and text. */
type Page = () => Promise<PageAnswer>;
type PageAnswer = readonly [status: 200 | 503, type: HeaderList, text: string];

const METRICS_TYPE: HeaderList = ["Content-Type", "text/plain; version=0.0.4; charset=utf-8"];

/** The operators' listener: health, readiness and figures, on an address of its own. */
export function createAdminListener(parts: AdminParts): Listener {
  const { answers, names, unhealthy, unready, metrics, console, consoleOrigin } = parts;
  const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
    ["/healthz", async () => verdict(await unhealthy())],
    ["/readyz", async () => verdict(await unready())],
    ["/metrics", async () => [200, METRICS_TYPE, await metrics()]],
  ]);

  const notFound = new Rejection(
    "not_found",
    `Here are ${[...pages.keys()].join(", ")}${console === null ? "" : ", /console"}.`,
  );

  async function answer(exchange: Exchange): Promise<void> {
    const head = edge(exchange.req);
    const { target, fields } = head;
    const { path } = target;
    const isConsole = console !== null && /^\/console(?:\/|$)/.test(path);
    const isAtConsole = consoleOrigin !== null && `https://${fields.host}` === consoleOrigin;
    if (isAtConsole ? !isConsole : !isOwnName(fields.host, names)) throw FOREIGN_HOST;
    if (isConsole && consoleOrigin !== null && !isAtConsole) throw ELSEWHERE;
    if (isConsole) return console(exchange, head);
    const page = pages.get(path);
    if (page === undefined) throw notFound;
    exchange.route = path;
    if (exchange.method !== "GET" && exchange.method !== "HEAD") {
      answers.refuse(exchange, METHOD_NOT_ALLOWED, ["Allow", "GET, HEAD"]);
      return;
    }
    const [status, type, text] = await page();
    answers.send(exchange, status, answers.headers(type, NO_STORE), text);
  }

  return (req, res) => {
    const exchange = answers.begin(req, res);
    answer(exchange).catch((error: unknown) => answers.refuse(exchange, error));
  };
}

/**
 * A page in the operator's browser reaches this listener under a name of its own that leads here (DNS
 * rebinding), and could read figures as its own origin. An address or `localhost` is nobody's name, and a
 * browser never leaves the name out.
 */
function isOwnName(field: string | undefined, names: readonly string[]): boolean {
  if (field === undefined) return true;
  const name = field.replace(/:[0-9]*$/, "").toLowerCase();
  const bare = name.replace(/^\[(.+)\]$/, "$1");
  return isIP(bare) !== 0 || name === "localhost" || names.includes(name);
}

function verdict(findings: readonly Finding[]): PageAnswer {
  const faults = findings.filter(({ state }) => state === "fault");
  const ok = faults.length === 0;
  const reasons = faults.map(({ sentence }) => sentence);
  return [ok ? 200 : 503, JSON_TYPE, JSON.stringify({ ok, reasons, findings })];
}

const FOREIGN_HOST = new Rejection(
  "origin_not_allowed",
  "Ask by an IP address, by localhost, or by a name in CAIRN_ADMIN_HOST or CAIRN_ADMIN_NAMES.",
);
const ELSEWHERE = new Rejection(
  "origin_not_allowed",
  "The console answers at the address of CAIRN_CONSOLE_ORIGIN alone: `cairn console` prints a link.",
);
const METHOD_NOT_ALLOWED = new Rejection("method_not_allowed", "Use GET or HEAD.");
