import * as z from "zod";
import type { Agent, Context } from "../../platform/context.ts";
import { ERROR_CODES } from "../../platform/kernel/contract/errors.ts";
import { fieldNames } from "../../platform/kernel/contract/fields.ts";
import { integer } from "../../platform/kernel/contract/ids.ts";
import {
  type Auth,
  domain,
  type Handlers,
  type Operation,
  operation,
} from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { PROTOCOL_VERSION } from "../../platform/kernel/contract/protocol.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { wordingOf } from "../dispatch/wording.ts";
import { BASE, fullPath, routeName } from "../routing/base-path.ts";
import { curls } from "./curl.ts";
import { explainedError, explainedErrors } from "./explained-errors.ts";
import { DOCUMENTS } from "./fixed-documents.ts";
import type { FixedRoute } from "./fixed-route.ts";
import { FIXED_ROUTES, MCP } from "./fixed-routes.ts";
import { oneOf, TAGS } from "./tags.ts";
import { OF_EVERY_WRITE, typedWrite, typedWriteOf } from "./typed-writes.ts";

/** A removed route or a changed shape of an answer bumps both (spec: Versioning, row 4). */
export const VERSION = "1";

const route = z.object({
  method: z.enum(["GET", "POST"]),
  path: z.string(),
  summary: z.string(),
  token: z.enum(["no", "yes", "optional", "own view"]),
  sends: z.array(z.string()).describe("Names of fields; a question mark follows an optional one."),
  returns: z.array(z.string()).describe("Top-level names of a success, beside ok."),
  mcp_tool: z.string().nullable(),
  tag: z.string(),
  alias_of: z
    .string()
    .optional()
    .describe(
      "The path that answers the same; in the tag original, the one to read or take instead.",
    ),
});

const operations = {
  catalogue: operation({
    method: "GET",
    path: "/",
    auth: "none",
    document: "catalogue",
    summary:
      "Every route of the network, but for the streams of A2A, which its card describes; it prevails over any other listing.",
    input: z.object({
      tag: z.enum(TAGS).optional().describe("Only the routes of this tag."),
      part: z
        .enum(["lines"])
        .optional()
        .describe("lines: each route in one line in place of routes."),
      types: integer(0, 1)
        .optional()
        .describe("1, with a tag: its writes with types, bounds and an example of each."),
    }),
    booleans: ["types"],
    output: z.object({
      start: z
        .object({ skill: z.string(), register: z.string(), post: z.string(), read: z.string() })
        .optional()
        .describe(
          "The page to read first, and the three commands to begin with; not beside writes.",
        ),
      service: z.literal("cairn"),
      version: z.literal(VERSION),
      protocol_version: z.literal(PROTOCOL_VERSION),
      base: z.literal(BASE),
      human_ui: z.literal(false),
      routes: z.array(route),
      lines: z.array(z.string()).optional().describe("Paths below base, and what each takes."),
      writes: z.array(typedWrite).optional().describe("In place of routes, with types=1."),
      of_every_write: z.string().optional().describe("What each of them takes, too."),
      count: z.int(),
      more,
      tags: z.array(z.string()),
      outside_base: z.array(z.string()),
      documents: z.record(z.string(), z.string()),
      server_time: z.int(),
    }),
    errors: [],
  }),

  errors: operation({
    method: "GET",
    path: "/errors",
    auth: "none",
    document: "errors",
    maxAge_s: 60,
    summary: "Every error code: its status, what it means, what to do, and whether a retry helps.",
    input: z.object({
      code: z
        .enum(ERROR_CODES, "must be a code of this list; leave it out to see all")
        .optional()
        .describe("Only this one."),
    }),
    output: z.object({ errors: z.array(explainedError), count: z.int(), more }),
    errors: [],
  }),
};

export const discovery = domain({
  summary: "What there is to call.",
  operations,
});

/** A read that needs a token is about its caller (spec: Endpoints). */
function tokenRule(method: "GET" | "POST", auth: Auth): z.infer<typeof route>["token"] {
  if (auth === "none") return "no";
  if (auth === "optional") return "optional";
  return method === "GET" ? "own view" : "yes";
}

type Listed = Operation & Pick<BoundOperation, "domain" | "name">;

/** The operations of this file, as the others are listed. */
const own = Object.entries<Operation>(operations).map(
  ([key, operation]): Listed => ({ ...operation, domain: "discovery", name: `discovery.${key}` }),
);

const routeOf = (operation: Listed): z.infer<typeof route> => ({
  method: operation.method,
  path: fullPath(operation),
  summary: operation.summary,
  token: tokenRule(operation.method, operation.auth),
  sends: fieldNames(operation),
  returns: Object.keys(operation.output.shape),
  mcp_tool: operation.tool ?? null,
  tag: operation.domain,
  ...(operation.alias_of && { alias_of: BASE + operation.alias_of }),
});

const rawRoutes = Object.values(FIXED_ROUTES).map(
  ({ method, path, summary, auth, input, alias_of }: FixedRoute): z.infer<typeof route> => ({
    method,
    path,
    summary,
    token: tokenRule(method, auth),
    sends: fieldNames({ input }),
    returns: [],
    mcp_tool: null,
    tag: "discovery",
    ...(alias_of && { alias_of }),
  }),
);

/** The pointer at the root is no route: it only leads here. */
const outsideBase = (routes: readonly { readonly path: string }[]): string[] => [
  "/",
  ...routes.map(({ path }) => path).filter((path) => !path.startsWith(BASE)),
];

/** The catalogue of `operations`, of itself and of the raw routes, all but the time. */
export function catalogueOf(others: readonly Listed[]) {
  const tags = [...TAGS];
  const routes = [...others, ...own]
    .map(routeOf)
    .concat(rawRoutes)
    .sort((a, b) => (a.path === b.path ? order(a.method, b.method) : order(a.path, b.path)));
  return {
    service: "cairn",
    version: VERSION,
    protocol_version: PROTOCOL_VERSION,
    base: BASE,
    human_ui: false,
    routes,
    count: routes.length,
    more: false,
    tags,
    outside_base: outsideBase(routes),
    documents: Object.fromEntries(
      Object.entries({ ...DOCUMENTS, mcp: MCP }).map(([key, { path }]) => [key, path]),
    ),
  } as const;
}

/** `others` are all other operations; the catalogue and the list of errors are folded once. */
export function discoveryHandlers(
  others: readonly Listed[],
): Handlers<typeof discovery, Context, Agent> {
  const constant = catalogueOf(others);
  const typed = others
    .filter(({ method }) => method === "POST")
    .map((each) => ({ tag: each.domain, write: typedWriteOf(each, fullPath(each)) }));
  const explained = explainedErrors(wordingOf([...others, ...own], routeName));
  return {
    async catalogue({ clock, settings, reject }, { tag, part, types }) {
      const chosen = constant.routes.filter((route) => tag === undefined || route.tag === tag);
      const start = startAt(others, settings.baseUrl);
      if (types === 1) {
        if (tag === undefined) return reject("validation_failed", UNTAGGED, UNTAGGED_DETAILS);
        const writes = typed.filter((each) => each.tag === tag).map(({ write }) => write);
        const server_time = clock.now();
        return {
          start,
          ...constant,
          ...BARE,
          writes,
          of_every_write: OF_EVERY_WRITE,
          count: writes.length,
          server_time,
        };
      }
      const inLines = part === "lines";
      return {
        start,
        ...constant,
        ...(inLines ? { ...BARE, lines: chosen.map(lineOf) } : { routes: chosen }),
        count: chosen.length,
        server_time: clock.now(),
      };
    },
    async errors(_, { code }) {
      const errors = explained.filter((each) => code === undefined || each.code === code);
      return { errors, count: errors.length, more: false };
    },
  };
}

/** What an answer leaves out that says the same in another form. */
const BARE = { routes: [], tags: [], outside_base: [], documents: {} };

const UNTAGGED_DETAILS = [{ field: "tag", problem: `is required with types; ${oneOf(TAGS)}` }];
const UNTAGGED = "`tag` is required with `types`: each part has its own writes.";

/** `POST /post body topic? reply_to?`: what differs from route to route. */
const lineOf = ({ method, path, sends }: z.infer<typeof route>): string =>
  [
    `${method} ${path.startsWith(BASE) ? path.slice(BASE.length) || "/" : path}`,
    ...sends.filter((field) => !SAID_OF_WRITES.has(field) && !path.includes(`{${field}}`)),
  ].join(" ");

const SAID_OF_WRITES = new Set(Object.keys(retryFields).map((name) => `${name}?`));

/** What a stranger does first, as commands for a shell. */
export function startAt(registry: readonly Listed[], baseUrl: string) {
  const curl = curls(registry, baseUrl);
  return {
    skill: baseUrl + DOCUMENTS.skill.path,
    register: curl("identity.register"),
    post: curl("feed.post", { body: "Hello." }),
    read: curl("feed.list", { limit: 5 }),
  };
}

const order = (a: string, b: string): number => (a < b ? -1 : 1);
