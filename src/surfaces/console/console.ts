import type { IncomingMessage } from "node:http";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { html, type Part } from "../../platform/kernel/html.ts";
import { semaphore } from "../../platform/kernel/pools/semaphore.ts";
import type { Exchange, HeaderList } from "../wire/answer.ts";
import type { Head } from "../wire/edge.ts";
import { type Access, accessOf, isCsrf, once, type Session } from "./access.ts";
import { actAt, actPage, doAct, donePage } from "./acts.ts";
import { formOf } from "./body.ts";
import type { Sent } from "./form.ts";
import { frameOf, pageOf } from "./frame.ts";
import { lookCsv, lookPage } from "./look-page.ts";
import { market } from "./market-page.ts";
import * as pages from "./pages.ts";
import { type ConsoleParts, type Page, RUN_NAMES } from "./parts.ts";
import { performance } from "./performance.ts";
import { SCRIPT, STYLE } from "./style.ts";
import { withCommands } from "./view.ts";

/** Nothing but our own style, script and forms; a form sends its Origin to this listener only. */
export const CONSOLE_HEADERS: HeaderList = [
  ["X-Content-Type-Options", "nosniff"],
  [
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'self'; require-trusted-types-for 'script'; trusted-types 'none'",
  ],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Referrer-Policy", "same-origin"],
  ["Cache-Control", "no-store"],
].flat();

/** A report is a page of its own, whose style stands in it. */
export const REPORT_HEADERS: HeaderList = [
  ["X-Content-Type-Options", "nosniff"],
  ["Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Referrer-Policy", "no-referrer"],
  ["Cache-Control", "no-store"],
].flat();

const HTML_TYPE: HeaderList = ["Content-Type", "text/html; charset=utf-8"];
const STATIC: Readonly<Record<string, readonly [type: string, text: string]>> = {
  "/console/style.css": ["text/css; charset=utf-8", STYLE],
  "/console/script.js": ["text/javascript; charset=utf-8", SCRIPT],
};

/** Pages that are made at one time, and that wait for it. */
const PAGES_AT_ONCE = 2;
const PAGES_WAITING = 16;
const PAGE_MAX_BYTES = 256 * 1_024;

const IN_SESSION = /^\/console\/([0-9a-f]{32})\/([a-z0-9/.-]*)$/;

/** A request within a session. */
interface Asked {
  readonly session: Session;
  readonly base: string;
  /** Below the session's path. */
  readonly path: string;
  readonly query: Sent;
}

export type Console = (exchange: Exchange, head: Head) => Promise<void>;

/** The operator's console: all below `/console`. */
export function createConsole(parts: ConsoleParts): Console {
  const { answers } = parts;
  const access = accessOf(parts);
  const making = semaphore({
    slots: PAGES_AT_ONCE,
    waiting_max: PAGES_WAITING,
    onFull: () => {
      throw new Rejection("overloaded", "Too many pages are being made. Reload in a moment.");
    },
  });

  return async (exchange, head) => {
    exchange.route = "/console";
    try {
      await making.run(() => answerConsole(parts, access, exchange, head));
    } catch (error) {
      const heard = answers.heardOf(exchange, error);
      const extra: HeaderList = heard.status === 405 ? ["Allow", "GET, HEAD, POST"] : [];
      sendPage(
        parts,
        exchange,
        { status: heard.status, title: TITLES[heard.status] ?? "It failed", extra },
        html`<p>${withCommands(heard.message)}</p>`,
      );
    }
  };
}

const TITLES: Readonly<Record<number, string>> = {
  401: "Open the console with a link",
  403: "Refused",
  404: "There is no such page",
  405: "Refused",
  409: "Nothing was changed",
  422: "Nothing was changed",
  503: "Try again in a moment",
};

async function answerConsole(
  parts: ConsoleParts,
  access: Access,
  exchange: Exchange,
  { target, fields }: Head,
): Promise<void> {
  const { req, method } = exchange;
  const site = req.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") throw FOREIGN;
  const fixed = STATIC[target.path];
  if (fixed !== undefined) {
    const [type, text] = fixed;
    parts.answers.send(exchange, 200, parts.answers.headers(["Content-Type", type]), text);
    return;
  }
  if (target.path === "/console/open") return open(parts, access, exchange, target.query);
  const [, of = "", path = ""] = IN_SESSION.exec(target.path) ?? [];
  const session = access.find(of, cookieOf(req, cookieName(parts)));
  if (session === null) throw NO_SESSION;
  const base = `/console/${session.path}/`;
  const asked = { session, base, path, query: sentOf(target.query) };
  if (method === "POST") {
    if (!isOwnOrigin(parts, fields)) throw FOREIGN;
    const sent = await formOf(req, fields);
    if (path.startsWith("run/")) return run(parts, exchange, asked, sent);
    if (path !== "leave") return act(parts, exchange, asked, sent);
    access.leave(session);
    return goTo(parts, exchange, "/console/");
  }
  if (method !== "GET" && method !== "HEAD") throw METHOD;
  if (path.startsWith("report/")) return sendReport(parts, exchange, path.slice("report/".length));
  if (path.endsWith(".csv")) return sendCsv(parts, exchange, asked);
  const { status = 200, title, main } = await pageFor(parts, asked);
  sendPage(parts, exchange, { status, title, base, path }, main);
}

/** Whether a form comes from this console: from its one address behind a proxy, else from that which was asked. */
const isOwnOrigin = ({ origin }: ConsoleParts, { host, origin: sent }: Head["fields"]): boolean =>
  origin === null ? sent === `http://${host}` || sent === `https://${host}` : sent === origin;

/** A key opens a session, whose way is only known to who has it. */
function open(parts: ConsoleParts, access: Access, exchange: Exchange, query: string): void {
  if (exchange.method !== "GET") throw METHOD;
  if (isFetchedAhead(exchange.req.headers)) throw AHEAD;
  const session = access.open(sentOf(query)["key"] ?? "");
  if (session === null) throw NO_SESSION;
  const way = `/console/${session.path}/`;
  const cookie = `${cookieName(parts)}=${session.cookie}; HttpOnly; SameSite=Strict; Path=${way}${parts.origin === null ? "" : "; Secure"}`;
  parts.answers.send(
    exchange,
    303,
    parts.answers.headers(["Location", way, "Set-Cookie", cookie]),
    "",
  );
}

/** Fields by which browsers say that nobody has opened the page yet. */
const AHEAD_FIELDS = ["purpose", "sec-purpose", "x-moz", "x-purpose"] as const;

/** Whether a link is fetched before somebody follows it, or as something else than a page. */
const isFetchedAhead = (headers: IncomingMessage["headers"]): boolean =>
  AHEAD_FIELDS.some((name) => headers[name] !== undefined) ||
  (headers["sec-fetch-dest"] ?? "document") !== "document";

const goTo = ({ answers }: ConsoleParts, exchange: Exchange, where: string): void =>
  answers.send(exchange, 303, answers.headers(["Location", where]), "");

/** Does what a form asks for, and leads to what it came to, so that a reload sends nothing again. */
async function act(
  parts: ConsoleParts,
  exchange: Exchange,
  { session, base, path }: Asked,
  sent: Sent,
): Promise<void> {
  const name = actAt(path);
  if (parts.mode !== "act") throw READ_ONLY;
  if (!isCsrf(session, name, sent["csrf"] ?? "")) throw FOREIGN;
  const nonce = sent["nonce"] ?? "";
  if (!/^[0-9a-f]{32}$/.test(nonce)) throw FOREIGN;
  try {
    await once(session, nonce, () => doAct(parts, name, sent));
  } catch (error) {
    const heard = parts.answers.heardOf(exchange, error);
    if (heard.status >= 500 || heard.status === 404) throw heard;
    const main = actPage({ session, name, sent, problem: heard });
    sendPage(parts, exchange, { status: heard.status, title: name, base, path }, main);
    return;
  }
  goTo(parts, exchange, `${base}done/${nonce}`);
}

/** Starts a command that only looks, also where the console only reads; its report appears on the page. */
function run(
  { runs, answers }: ConsoleParts,
  exchange: Exchange,
  { session, base, path }: Asked,
  sent: Sent,
): void {
  const name = RUN_NAMES.find((each) => path === `run/${each}`);
  if (name === undefined || runs === null) throw NOT_FOUND;
  if (!isCsrf(session, path, sent["csrf"] ?? "")) throw FOREIGN;
  if (!runs.start(name)) throw BUSY;
  answers.send(exchange, 303, answers.headers(["Location", `${base}ledger`]), "");
}

function sendReport(
  { runs, reportAnswers: answers }: ConsoleParts,
  exchange: Exchange,
  file: string,
): void {
  const text = runs?.read(file) ?? null;
  if (text === null) throw NOT_FOUND;
  const type = file.endsWith(".html") ? "text/html" : "text/plain";
  answers.send(exchange, 200, answers.headers(["Content-Type", `${type}; charset=utf-8`]), text);
}

async function sendCsv(
  parts: ConsoleParts,
  exchange: Exchange,
  { path, query }: Asked,
): Promise<void> {
  const { answers } = parts;
  const { name, text } = await lookCsv(parts, path.slice(0, -".csv".length), query);
  const disposition = ["Content-Disposition", `attachment; filename="${name}"`];
  const headers = answers.headers(["Content-Type", "text/csv; charset=utf-8", ...disposition]);
  answers.send(exchange, 200, headers, text);
}

interface Made {
  readonly status?: number;
  readonly title: string;
  readonly main: Part;
}

const FIXED: Readonly<Record<string, Page>> = {
  "": pages.overview,
  market,
  treasury: pages.treasury,
  ledger: pages.ledger,
  performance,
  settings: pages.settings,
  log: pages.log,
};

async function pageFor(parts: ConsoleParts, { session, path, query }: Asked): Promise<Made> {
  const make = FIXED[path];
  if (make !== undefined)
    return { title: pageOf(path)?.title ?? "", main: await make(parts, { query, session }) };
  if (path.startsWith("look/")) return lookPage(parts, session, path, query);
  if (path.startsWith("done/")) return donePage(parts, session, path.slice("done/".length));
  throw NOT_FOUND;
}

interface Sending {
  readonly status: number;
  readonly title: string;
  readonly base?: string;
  readonly path?: string;
  readonly extra?: HeaderList;
}

function sendPage(
  { answers, context, mode }: ConsoleParts,
  exchange: Exchange,
  { status, title, base, path = "", extra = [] }: Sending,
  main: Part,
): void {
  const { origin } = context.settings;
  const [search = ""] = /\?.*/.exec(exchange.req.url ?? "") ?? [];
  const frame = { base: base ?? null, path, search, title, origin, mode };
  const text = frameOf(frame, main);
  if (Buffer.byteLength(text) > PAGE_MAX_BYTES) {
    const short = frameOf(frame, TOO_LARGE);
    answers.send(exchange, 422, answers.headers(HTML_TYPE), short);
    return;
  }
  answers.send(exchange, status, answers.headers(HTML_TYPE, extra), text);
}

const TOO_LARGE = html`<p>This page would be larger than 256 KiB. Ask for fewer rows.</p>`;

/** Browsers take a cookie of the longer name over TLS only (RFC 6265bis, 4.1.3.1). */
const cookieName = ({ port, origin }: Pick<ConsoleParts, "port" | "origin">): string =>
  `${origin === null ? "" : "__Secure-"}cairn_console_${port()}`;

function cookieOf(req: IncomingMessage, name: string): string | undefined {
  for (const pair of (req.headers.cookie ?? "").split(";")) {
    const [key = "", value] = pair.trim().split("=");
    if (key === name) return value;
  }
  return undefined;
}

const sentOf = (query: string): Sent => Object.fromEntries(new URLSearchParams(query));

const NO_SESSION = new Rejection(
  "token_missing",
  "Run `cairn console` on this machine, as the user of the service: it prints a link that works once, within two minutes.",
);
const FOREIGN = new Rejection(
  "origin_not_allowed",
  "This did not come from a page of this console.",
);
const AHEAD = new Rejection(
  "origin_not_allowed",
  "This link opens the console once, for somebody who follows it. It was fetched ahead, and still works.",
);
const READ_ONLY = new Rejection(
  "origin_not_allowed",
  "This console only reads. Start the service with CAIRN_CONSOLE=act to act here.",
);
const BUSY = new Rejection(
  "overloaded",
  "One of these runs is under way. Its report will stand on the page Ledger.",
);
const NOT_FOUND = new Rejection("not_found", "The pages of the console are named above.");
const METHOD = new Rejection("method_not_allowed", "Use GET, or POST from a form.");
