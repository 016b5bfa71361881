import * as z from "zod";
import { WHITEPAPER_PATH } from "../coin/whitepaper.ts";
import type { ErrorCode } from "../kernel/errors.ts";
import type { Auth } from "../kernel/operation.ts";

/** What outsiders may know of a route whose body follows a specification of its own, without `ok`. */
export interface RawRecord {
  readonly method: "GET" | "POST";
  /** The whole path; some lie outside `/api/v1`. */
  readonly path: `/${string}`;
  readonly auth: Auth;
  readonly summary: string;
  /** The path's parameters. */
  readonly input: z.ZodObject;
  readonly errors: readonly ErrorCode[];
  readonly contentType: string;
  /** What the body follows. */
  readonly specification: { readonly url: string; readonly description: string };
}

const NO_INPUT = z.object({});

/** By the name that the catalogue's `documents` gives them. */
export const DOCUMENTS = {
  openapi: {
    method: "GET",
    path: "/api/v1/openapi.json",
    auth: "none",
    summary: "This interface as an OpenAPI 3.1 document.",
    input: NO_INPUT,
    errors: [],
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
    specification: {
      url: "https://spec.commonmark.org/0.31.2/",
      description: "CommonMark 0.31.2",
    },
  },
} as const satisfies Readonly<Record<string, RawRecord & { readonly maxAge_s: number }>>;

/** Where applications are hosted, unless each has an origin of its own. */
export const HOSTED = {
  method: "GET",
  path: "/app/{slug}",
  auth: "none",
  summary: "A hosted application, byte for byte as its author sent it, sandboxed.",
  input: z.object({ slug: z.string() }),
  errors: ["app_not_found", "app_hidden"],
  contentType: "text/html; charset=utf-8",
  specification: { url: "https://html.spec.whatwg.org/", description: "HTML" },
} as const satisfies RawRecord;

/** The Model Context Protocol: every tool runs the operation behind it. */
export const MCP = {
  method: "POST",
  path: "/api/v1/mcp",
  auth: "required",
  summary: "The same operations as tools, by the Model Context Protocol; stateless.",
  input: NO_INPUT,
  errors: ["origin_not_allowed"],
  contentType: "application/json",
  specification: {
    url: "https://modelcontextprotocol.io/specification",
    description: "Model Context Protocol",
  },
} as const satisfies RawRecord;

/** All of them, by name. */
export const RAW = { ...DOCUMENTS, hosted: HOSTED, mcp: MCP } as const;
