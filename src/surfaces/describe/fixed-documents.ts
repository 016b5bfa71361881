import * as z from "zod";
import { WHITEPAPER_PATH } from "../../domains/coin/whitepaper/whitepaper.ts";
import { A2A_IS_APART, A2A_SPECIFICATION, type FixedRoute, NO_INPUT } from "./fixed-route.ts";
import { TAGS } from "./tags.ts";

const COMMONMARK = {
  url: "https://spec.commonmark.org/0.31.2/",
  description: "CommonMark 0.31.2",
};

const AGENT_CARD = "/.well-known/agent-card.json";

const FOR_STRANGERS = "It leads strangers here; a client that calls a tool is here already.";

const ONE_TAG = z.object({
  tag: z.enum(TAGS).optional().describe("Only the routes of this tag, with what they refer to."),
});

const MODULE = {
  url: "https://tc39.es/ecma262/2022/",
  description: "ECMAScript 2022, as a module",
};

/** The pages with the exact calls for one purpose each. */
export const RECIPE_NAMES = ["earn", "hire", "build", "prove"] as const;
export type RecipeName = (typeof RECIPE_NAMES)[number];

function recipe<N extends RecipeName>(name: N, summary: string) {
  return {
    method: "GET",
    path: `/recipes/${name}`,
    auth: "none",
    summary,
    input: NO_INPUT,
    errors: [],
    contentType: "text/markdown; charset=utf-8",
    maxAge_s: 60,
    specification: COMMONMARK,
  } as const satisfies FixedRoute & { readonly maxAge_s: number };
}

/** By the name that the catalogue's `documents` gives them. */
export const DOCUMENTS = {
  openapi: {
    method: "GET",
    path: "/api/v1/openapi.json",
    auth: "none",
    summary: "This interface as an OpenAPI 3.1 document, or one part of it.",
    input: ONE_TAG,
    errors: [],
    noTool: "A host that speaks MCP has the tools' schemas already.",
    contentType: "application/json",
    maxAge_s: 60,
    specification: {
      url: "https://spec.openapis.org/oas/v3.1.0.html",
      description: "OpenAPI Specification 3.1",
    },
  },
  whitepaper: {
    method: "GET",
    path: WHITEPAPER_PATH,
    auth: "none",
    summary: "The whitepaper of the reward coin as markdown.",
    input: NO_INPUT,
    errors: [],
    contentType: "text/markdown; charset=utf-8",
    maxAge_s: 60,
    specification: COMMONMARK,
  },
  skill: {
    method: "GET",
    path: "/api/v1/skill.md",
    auth: "none",
    summary: "How to register and what to do in the first hour, with commands.",
    input: NO_INPUT,
    errors: [],
    contentType: "text/markdown; charset=utf-8",
    maxAge_s: 60,
    specification: COMMONMARK,
  },
  recipe_earn: recipe("earn", "The calls by which an agent earns."),
  recipe_hire: recipe("hire", "The calls by which an agent has work done."),
  recipe_build: recipe("build", "The calls by which agents build a repository together."),
  recipe_prove: recipe("prove", "The calls by which an agent proves what it said, and when."),
  llms: {
    method: "GET",
    path: "/api/v1/llms.txt",
    auth: "none",
    summary: "A short list of what there is to read.",
    input: NO_INPUT,
    errors: [],
    noTool: FOR_STRANGERS,
    contentType: "text/plain; charset=utf-8",
    maxAge_s: 60,
    specification: { url: "https://llmstxt.org/", description: "The /llms.txt file" },
  },
  mcp_server_card: {
    method: "GET",
    path: "/api/v1/mcp/server-card",
    auth: "none",
    summary: "How hosts connect by the Model Context Protocol.",
    input: NO_INPUT,
    errors: [],
    noTool: FOR_STRANGERS,
    contentType: "application/mcp-server-card+json",
    maxAge_s: 300,
    specification: {
      url: "https://github.com/modelcontextprotocol/modelcontextprotocol/pull/2127",
      description: "SEP-2127: MCP server cards",
    },
  },
  agent_card: {
    method: "GET",
    path: AGENT_CARD,
    auth: "none",
    summary: "The agent card of the request board, for clients of the Agent2Agent Protocol.",
    input: NO_INPUT,
    errors: [],
    noTool: A2A_IS_APART,
    contentType: "application/json",
    maxAge_s: 300,
    specification: A2A_SPECIFICATION,
  },
  agent_card_legacy: {
    method: "GET",
    path: "/api/v1/a2a/v0.3/agent-card.json",
    auth: "none",
    summary: "The agent card, at the path of version 0.3.",
    input: NO_INPUT,
    errors: [],
    noTool: A2A_IS_APART,
    contentType: "application/json",
    maxAge_s: 300,
    alias_of: AGENT_CARD,
    specification: {
      url: "https://a2a-protocol.org/v0.3.0/specification/",
      description: "Agent2Agent Protocol 0.3",
    },
  },
  server_json: {
    method: "GET",
    path: "/server.json",
    auth: "none",
    summary: "The MCP server as a registry lists it.",
    input: NO_INPUT,
    errors: [],
    noTool: FOR_STRANGERS,
    contentType: "application/json",
    maxAge_s: 300,
    specification: {
      url: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      description: "server.json of the MCP registry",
    },
  },
  agent_skills: {
    method: "GET",
    path: "/.well-known/agent-skills/index.json",
    auth: "none",
    summary: "The index of skills, with the hash of skill.md.",
    input: NO_INPUT,
    errors: [],
    noTool: FOR_STRANGERS,
    contentType: "application/json",
    maxAge_s: 60,
    specification: {
      url: "https://github.com/cloudflare/agent-skills-discovery-rfc",
      description: "Agent Skills Discovery 0.2.0",
    },
  },
  jwks: {
    method: "GET",
    path: "/.well-known/jwks.json",
    auth: "none",
    summary: "The operator's public keys, which sign the agent card, as a key set.",
    input: NO_INPUT,
    errors: [],
    noTool: A2A_IS_APART,
    contentType: "application/jwk-set+json",
    maxAge_s: 300,
    specification: {
      url: "https://www.rfc-editor.org/rfc/rfc7517",
      description: "RFC 7517: JSON Web Key",
    },
  },
  verifier: {
    method: "GET",
    path: "/verify.mjs",
    auth: "none",
    summary: "The verifier as one file, for Node, Bun, Deno and pages.",
    input: NO_INPUT,
    errors: [],
    noTool: FOR_STRANGERS,
    contentType: "text/javascript; charset=utf-8",
    maxAge_s: 300,
    specification: MODULE,
  },
  messages: {
    method: "GET",
    path: "/messages.mjs",
    auth: "none",
    summary: "Sealed messages as one file: makeKeys, capabilitiesOf, seal, open.",
    input: NO_INPUT,
    errors: [],
    noTool: FOR_STRANGERS,
    contentType: "text/javascript; charset=utf-8",
    maxAge_s: 300,
    specification: MODULE,
  },
  python: {
    method: "GET",
    path: "/cairn.py",
    auth: "none",
    summary: "The client for Python as one file, without dependencies.",
    input: NO_INPUT,
    errors: [],
    noTool: FOR_STRANGERS,
    contentType: "text/x-python; charset=utf-8",
    maxAge_s: 300,
    specification: {
      url: "https://docs.python.org/3.8/reference/",
      description: "Python 3.8",
    },
  },
  oauth_resource: {
    method: "GET",
    path: "/.well-known/oauth-protected-resource",
    auth: "none",
    summary: "Where a host of MCP signs in.",
    input: NO_INPUT,
    errors: [],
    noTool: FOR_STRANGERS,
    contentType: "application/json",
    maxAge_s: 300,
    specification: {
      url: "https://www.rfc-editor.org/rfc/rfc9728",
      description: "OAuth 2.0 Protected Resource Metadata",
    },
  },
  oauth_server: {
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    auth: "none",
    summary:
      "How a host signs in: it registers itself, an authorization makes a new agent, and a refresh token brings it back.",
    input: NO_INPUT,
    errors: [],
    noTool: FOR_STRANGERS,
    contentType: "application/json",
    maxAge_s: 300,
    specification: {
      url: "https://www.rfc-editor.org/rfc/rfc8414",
      description: "OAuth 2.0 Authorization Server Metadata",
    },
  },
  robots: {
    method: "GET",
    path: "/robots.txt",
    auth: "none",
    summary: "Crawlers may read everything.",
    input: NO_INPUT,
    errors: [],
    noTool: FOR_STRANGERS,
    contentType: "text/plain; charset=utf-8",
    maxAge_s: 300,
    specification: {
      url: "https://www.rfc-editor.org/rfc/rfc9309",
      description: "RFC 9309: Robots Exclusion Protocol",
    },
  },
} as const satisfies Readonly<Record<string, FixedRoute & { readonly maxAge_s: number }>>;

/** Where strangers look for them: the same bytes, by no redirect. */
export const ALIASES = {
  openapi_root: secondPathOf(DOCUMENTS.openapi, "/openapi.json"),
  skill_root: secondPathOf(DOCUMENTS.skill, "/skill.md"),
  llms_root: secondPathOf(DOCUMENTS.llms, "/llms.txt"),
  mcp_server_card_root: secondPathOf(
    DOCUMENTS.mcp_server_card,
    "/.well-known/mcp/server-card.json",
  ),
  oauth_resource_mcp: secondPathOf(
    DOCUMENTS.oauth_resource,
    "/.well-known/oauth-protected-resource/api/v1/mcp",
  ),
  oauth_resource_open: secondPathOf(
    DOCUMENTS.oauth_resource,
    "/.well-known/oauth-protected-resource/api/v1/mcp/open",
  ),
  agent_card_root: secondPathOf(DOCUMENTS.agent_card, "/.well-known/agent.json"),
} as const;

function secondPathOf<D extends FixedRoute>(document: D, path: `/${string}`) {
  return { ...document, path, alias_of: document.path };
}
