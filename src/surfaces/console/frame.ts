import { type Html, html, type Part } from "../../platform/kernel/html.ts";
import { slugOf } from "./view.ts";

interface Page {
  /** Its way below the session's path. */
  readonly path: string;
  readonly title: string;
  /** With `g`: the key that leads there. */
  readonly letter: string;
  /** Looks that belong to it, beside its own way. */
  readonly looks: readonly string[];
}

const pathOf = (name: string): string => `look/${slugOf(name)}`;

/** The page of the field that each page has. */
const FIND = pathOf("find");

const PAGES: readonly Page[] = [
  { path: "", title: "Overview", letter: "o", looks: [] },
  {
    path: pathOf("agent list"),
    title: "Agents",
    letter: "a",
    looks: ["agent list", "agent show", "agent storage"],
  },
  {
    path: pathOf("report list"),
    title: "Moderation",
    letter: "m",
    looks: [
      "report list",
      "report groups",
      "report show",
      "post list",
      "post show",
      "text list",
      "app list",
      "offer list",
      "file list",
      "file show",
    ],
  },
  { path: "market", title: "Market", letter: "k", looks: ["order list", "order show"] },
  { path: "treasury", title: "Treasury", letter: "t", looks: ["transfer list"] },
  { path: "ledger", title: "Ledger", letter: "l", looks: ["entry show", "entry list", "journal"] },
  {
    path: pathOf("task list"),
    title: "Tasks",
    letter: "q",
    looks: ["task list", "task show", "request list", "request show", "quest list", "quest show"],
  },
  { path: "performance", title: "Performance", letter: "p", looks: [] },
  { path: "settings", title: "Settings", letter: "s", looks: [] },
  { path: "log", title: "Log", letter: "v", looks: [] },
];

/** Lists that stand beside each other on a page. */
export const TABS: Readonly<Record<string, readonly (readonly [title: string, path: string])[]>> = {
  Agents: [
    ["Newest", "look/agent-list"],
    ["Banned", "look/agent-list?banned=on"],
    ["Most reported", "look/agent-list?by=reports"],
    ["Most posts", "look/agent-list?by=posts"],
    ["Largest storage", "look/agent-storage"],
  ],
  Moderation: [
    ["Reported", "look/report-list"],
    ["By author", "look/report-groups?by=agent"],
    ["Same text", "look/report-groups?by=text"],
    ["Flagged", "look/post-list?flagged=on"],
    ["Hidden", "look/post-list?hidden=on"],
    ["Newest posts", "look/post-list"],
    ["Hidden texts", "look/text-list"],
    ["Apps", "look/app-list"],
    ["Offers", "look/offer-list"],
    ["Files", "look/file-list"],
  ],
  Tasks: [
    ["Tasks", "look/task-list"],
    ["Closed tasks", "look/task-list?closed=on"],
    ["Requests", "look/request-list"],
    ["Open requests", "look/request-list?status=open"],
    ["Quests", "look/quest-list"],
    ["Closed quests", "look/quest-list?closed=on"],
  ],
  Treasury: [
    ["Treasury", "treasury"],
    ["Transfers", "look/transfer-list"],
  ],
  Ledger: [
    ["Ledger", "ledger"],
    ["Entries", "look/entry-list"],
    ["Journal", "look/journal"],
  ],
  Market: [
    ["Now", "market"],
    ["Orders", "look/order-list"],
  ],
};

/** The page that a way belongs to. */
export const pageOf = (path: string): Page | undefined =>
  PAGES.find((page) => page.path === path || page.looks.some((name) => pathOf(name) === path));

interface Frame {
  /** `/console/<session>/`; null outside of a session. */
  readonly base: string | null;
  readonly path: string;
  /** Of the address, with its question mark; empty without one. */
  readonly search: string;
  readonly title: string;
  readonly origin: string;
  readonly mode: "read" | "act";
}

/** A whole document around a page. */
export function frameOf({ base, path, search, title, origin, mode }: Frame, main: Part): string {
  const page = base === null ? undefined : pageOf(path);
  const link = ({ path: to, title: name, letter }: Page): Html =>
    html`<li><a href="${base}${to}" data-letter="${letter}"${to === page?.path ? html` aria-current="page"` : null}>${name}</a></li>`;
  const nav =
    base === null ? null : html`<nav aria-label="Pages"><ul>${PAGES.map(link)}</ul></nav>`;
  const find =
    base === null || path === FIND
      ? null
      : html`<form class="find" role="search" method="get" action="${base}${FIND}"><label for="find">Find</label> <input type="text" id="find" name="words" required autocomplete="off" placeholder="name, words, id, transaction"> <button>Find</button></form>`;
  const foot =
    base === null
      ? null
      : html`<footer><p>${mode === "read" ? "This console only reads: CAIRN_CONSOLE is read. Times are UTC." : "This console acts: CAIRN_CONSOLE is act. Times are UTC."}</p>
<form method="post" action="${base}leave"><button>Leave</button></form></footer>`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} · ${origin}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
${base === null ? null : html`<base href="${base}">`}
<link rel="stylesheet" href="/console/style.css"><script src="/console/script.js" defer></script></head>
<body><a class="skip" href="${base === null ? "" : base + path + search}#main">Skip to the page</a>
<header><p><strong>Cairn</strong> <span>${origin}</span></p>${find}</header>${nav}
<main id="main" tabindex="-1"><h1>${title}</h1>
${main}</main>${foot}</body></html>
`.text;
}
