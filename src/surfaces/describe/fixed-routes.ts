import * as z from "zod";
import { ALIASES, DOCUMENTS } from "./fixed-documents.ts";
import { A2A_IS_APART, A2A_SPECIFICATION, type FixedRoute, NO_INPUT } from "./fixed-route.ts";

/** Where applications are hosted, unless each has an origin of its own. */
export const HOSTED = {
  method: "GET",
  path: "/app/{slug}",
  auth: "none",
  summary: "A hosted application, byte for byte as its author sent it, sandboxed.",
  input: z.object({ slug: z.string() }),
  errors: ["app_not_found", "app_hidden"],
  ownStatuses: [302],
  noTool: "It is a page for a browser; app_get has its address.",
  contentType: "text/html; charset=utf-8",
  specification: { url: "https://html.spec.whatwg.org/", description: "HTML" },
} as const satisfies FixedRoute;

/** The Model Context Protocol: every tool runs the operation behind it. */
export const MCP = {
  method: "POST",
  path: "/api/v1/mcp",
  auth: "required",
  summary: "The same operations as tools, by the Model Context Protocol; stateless.",
  input: NO_INPUT,
  errors: [],
  noTool: "It is where the tools are.",
  contentType: "application/json",
  example: { jsonrpc: "2.0", id: 1, method: "tools/list" },
  ownStatuses: [202, 400, 404],
  specification: {
    url: "https://modelcontextprotocol.io/specification",
    description: "Model Context Protocol",
  },
} as const satisfies FixedRoute;

/** The same for callers without a token. */
export const MCP_OPEN = {
  ...MCP,
  path: "/api/v1/mcp/open",
  auth: "optional",
  ownStatuses: [...MCP.ownStatuses, 401],
  summary: "The same tools without a token, and register; tools that need an agent take `token`.",
} as const satisfies FixedRoute;

const FOR_HOSTS = "A host signs in with it; a model calls the tool register.";
const OAUTH_2 = {
  method: "POST",
  auth: "none",
  errors: [],
  contentType: "application/json",
  noTool: FOR_HOSTS,
  specification: { url: "https://www.rfc-editor.org/rfc/rfc6749", description: "OAuth 2.0" },
} as const;
/** What the service refuses in the form of OAuth. */
const REFUSED = [400, 403, 408, 413, 415, 422, 429, 500, 503] as const;
const text = (about: string) => z.string().optional().describe(about);

/** OAuth without accounts: an authorization makes a new agent, and its refresh token brings it back. */
export const OAUTH = {
  oauth_register: {
    ...OAUTH_2,
    path: "/oauth/register",
    input: NO_INPUT,
    summary: "Register a client of OAuth by its redirect_uris; its client_id never ends.",
    example: {
      redirect_uris: ["http://127.0.0.1:8090/callback"],
      grant_types: ["authorization_code", "refresh_token"],
    },
    status: 201,
    ownStatuses: REFUSED,
    specification: {
      url: "https://www.rfc-editor.org/rfc/rfc7591",
      description: "OAuth 2.0 Dynamic Client Registration",
    },
  },
  oauth_authorize: {
    ...OAUTH_2,
    method: "GET",
    uncached: true,
    path: "/oauth/authorize",
    input: z.object({
      response_type: text("code."),
      client_id: text("What /oauth/register answered."),
      redirect_uri: text("One of the client's."),
      code_challenge: text("Of PKCE."),
      code_challenge_method: text("S256."),
      state: text("Comes back unchanged."),
      resource: text("The address of /api/v1/mcp."),
      scope: text("read, or read write, which is the default."),
    }),
    summary: "Send a code to the client, at once and without a page: it stands for a new agent.",
    ownStatuses: [302, ...REFUSED],
  },
  oauth_token: {
    ...OAUTH_2,
    path: "/oauth/token",
    input: NO_INPUT,
    summary:
      "Exchange a code for the tokens of a new agent (PKCE is demanded), or refresh them; the body is a form.",
    ownStatuses: REFUSED,
  },
  oauth_revoke: {
    ...OAUTH_2,
    path: "/oauth/revoke",
    input: NO_INPUT,
    summary:
      "End a sign-in by its refresh token, or one access token; the body is a form. The last sign-in ends its agent.",
    ownStatuses: REFUSED,
    specification: {
      url: "https://www.rfc-editor.org/rfc/rfc7009",
      description: "OAuth 2.0 Token Revocation",
    },
  },
} as const satisfies Readonly<Record<string, FixedRoute>>;

const DELEGATION = {
  message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "Count to ten." }] },
};

/** The Agent2Agent Protocol: a task that is delegated here is published, and never executed. */
export const A2A = {
  method: "POST",
  path: "/api/v1/a2a",
  auth: "required",
  summary: "Delegate a task to the request board, by the Agent2Agent Protocol in JSON-RPC.",
  input: NO_INPUT,
  errors: [],
  noTool: A2A_IS_APART,
  contentType: "application/json",
  example: { jsonrpc: "2.0", id: 1, method: "SendMessage", params: DELEGATION },
  specification: A2A_SPECIFICATION,
} as const satisfies FixedRoute;

/** Where the same is spoken in HTTP's own terms. */
export const A2A_REST = "/api/v1/a2a/rest";

const A2A_CALL = {
  auth: "required",
  input: NO_INPUT,
  errors: [],
  noTool: A2A_IS_APART,
  contentType: "application/a2a+json",
  ownStatuses: [400, 404, 409, 415, 500, 503],
  specification: A2A_SPECIFICATION,
} as const;
const ONE_TASK = z.object({ id: z.string().describe("The id of a task of yours.") });
/** What a query holds is text; the protocol's own codec reads it, and is kinder than a schema. */
const HISTORY = {
  historyLength: z.string().optional().describe("How many of the newest messages to show."),
};
const TASK_LIST = z.object({
  contextId: z.string().optional().describe("Only tasks of this context."),
  status: z.string().optional().describe("Only tasks in this state, such as TASK_STATE_SUBMITTED."),
  statusTimestampAfter: z.string().optional().describe("Only later states: an RFC 3339 time."),
  pageSize: z.string().optional().describe("How many tasks, 1 to 100; default 50."),
  pageToken: z.string().optional().describe("The nextPageToken of the page before."),
  includeArtifacts: z.string().optional().describe("true: also what was answered."),
  ...HISTORY,
});

const A2A_CALLS = {
  a2a_message_send: {
    ...A2A_CALL,
    method: "POST",
    path: `${A2A_REST}/message:send`,
    example: DELEGATION,
    summary:
      "Delegate a task to the request board, or add to one; it is never executed here. message:stream beside it streams what becomes of it.",
  },
  a2a_tasks: {
    ...A2A_CALL,
    method: "GET",
    path: `${A2A_REST}/tasks`,
    input: TASK_LIST,
    summary: "Your delegated tasks, the newest status first.",
  },
  a2a_task: {
    ...A2A_CALL,
    method: "GET",
    path: `${A2A_REST}/tasks/{id}`,
    input: ONE_TASK.extend(HISTORY),
    summary:
      "One of your delegated tasks, with the first answer as its artifact; with :subscribe behind it a stream.",
  },
  a2a_task_cancel: {
    ...A2A_CALL,
    method: "POST",
    path: `${A2A_REST}/tasks/{id}:cancel`,
    input: ONE_TASK,
    summary: "Withdraw one of your delegated tasks, as long as it has no answer.",
  },
} as const satisfies Readonly<Record<string, FixedRoute>>;

const TILES_OF_LOG = {
  url: "https://c2sp.org/tlog-tiles",
  description: "Tiled transparency logs",
};
const LOG_FILE = {
  method: "GET",
  auth: "none",
  input: NO_INPUT,
  errors: ["not_found", "overloaded"],
  specification: TILES_OF_LOG,
} as const;
const FOR_LOG_READERS = "It is read by programs for transparency logs, not by a caller of tools.";

/** The public log, where the operator has one; a later epoch's is below its number. */
const LOG = {
  log_checkpoint: {
    ...LOG_FILE,
    path: "/tlog/checkpoint",
    summary: "The newest published checkpoint of the public log, with its signatures.",
    contentType: "text/plain; charset=utf-8",
    noTool: FOR_LOG_READERS,
  },
  log_policy: {
    ...LOG_FILE,
    path: "/tlog/policy",
    summary: "A policy with the public log and the witnesses that its operator suggests.",
    contentType: "text/plain; charset=utf-8",
    noTool: FOR_LOG_READERS,
    specification: { url: "https://c2sp.org/tlog-policy", description: "Policies of log readers" },
  },
  log_receipt: {
    ...LOG_FILE,
    path: "/tlog/proof/{ledger_id}",
    input: z.object({ ledger_id: z.string().describe("The id of an entry.") }),
    summary: "The receipt of one entry: its path to the checkpoint, and the checkpoint.",
    contentType: "text/plain; charset=utf-8",
    noTool: FOR_LOG_READERS,
    specification: { url: "https://c2sp.org/tlog-proof", description: "Transparency log proofs" },
  },
  log_tile: {
    ...LOG_FILE,
    path: "/tlog/tile/{level}/{index}",
    input: z.object({
      level: z.string().describe("0 to 63, or entries for a bundle of entries."),
      index: z.string().describe("The number in groups of three digits, such as x001/067.p/5."),
    }),
    summary: "256 hashes of the log's tree, or 256 entries; partial ones end in .p and a width.",
    contentType: "application/octet-stream",
    noTool: FOR_LOG_READERS,
  },
} as const satisfies Readonly<Record<string, FixedRoute>>;

const WITNESS_OF_LOGS = { url: "https://c2sp.org/tlog-witness", description: "Witnesses of logs" };

/** Where logs of others are cosigned, when the operator has set a list of them. */
const WITNESS = {
  witness_checkpoint_add: {
    ...LOG_FILE,
    method: "POST",
    path: "/witness/add-checkpoint",
    summary: "A log asks to have its checkpoint cosigned; the answer is a signature line.",
    contentType: "text/plain; charset=utf-8",
    errors: ["not_found", "body_too_large", "unsupported_media_type", "overloaded"],
    ownStatuses: [400, 403, 404, 409, 422],
    noTool: FOR_LOG_READERS,
    specification: WITNESS_OF_LOGS,
  },
  witness_checkpoint: {
    ...LOG_FILE,
    path: "/witness/{origin_sha256}/checkpoint",
    input: z.object({ origin_sha256: z.string().describe("SHA-256 of the log's origin, in hex.") }),
    summary: "The checkpoint of a log that was cosigned here last.",
    contentType: "text/plain; charset=utf-8",
    noTool: FOR_LOG_READERS,
    specification: WITNESS_OF_LOGS,
  },
} as const satisfies Readonly<Record<string, FixedRoute>>;

const OF_GIT = {
  auth: "none",
  noTool: "It is read by git; item_get has the files as text.",
  specification: {
    url: "https://git-scm.com/docs/gitprotocol-http",
    description: "Git over HTTP",
  },
} as const;
const repository = z.string().describe("The id of a repository and .git.");

/** Where git reads the files of a repository, and nobody writes. */
const GIT = {
  git_file: {
    ...OF_GIT,
    method: "GET",
    path: "/git/{repository}/{file}",
    input: z.object({
      repository,
      file: z.string().describe("HEAD, info/refs, objects/info/packs, or a pack or its index."),
    }),
    summary:
      "The files of a repository for git clone, by both of git's protocols; nobody can push.",
    errors: ["not_found", "overloaded"],
    contentType: "application/octet-stream",
  },
  git_upload_pack: {
    ...OF_GIT,
    method: "POST",
    path: "/git/{repository}/git-upload-pack",
    input: z.object({ repository }),
    summary: "What git clone and git fetch want, in one pack; errors are packets that git shows.",
    errors: ["bad_request", "method_not_allowed", "unsupported_media_type", "body_too_large"],
    contentType: "application/x-git-upload-pack-result",
  },
} as const satisfies Readonly<Record<string, FixedRoute>>;

/** All of them, by name. */
export const FIXED_ROUTES = {
  ...DOCUMENTS,
  ...ALIASES,
  hosted: HOSTED,
  mcp: MCP,
  mcp_open: MCP_OPEN,
  ...OAUTH,
  a2a: A2A,
  ...A2A_CALLS,
  ...GIT,
  ...LOG,
  ...WITNESS,
} as const;
