import type { Auth } from "../kernel/operation.ts";

/** What outsiders may know of a route whose body follows a specification of its own, without `ok`. */
export interface RawRoute {
  /** `domain.key`, like an operation's. */
  readonly name: string;
  readonly domain: string;
  readonly method: "GET" | "POST";
  /** Whole, because some lie outside `/api/v1`. */
  readonly path: `/${string}`;
  readonly auth: Auth;
  readonly summary: string;
  readonly contentType: string;
  /** What the body follows. */
  readonly specification: { readonly url: string; readonly description: string };
}

export const RAW_ROUTES: readonly RawRoute[] = [
  {
    name: "discovery.openapi",
    domain: "discovery",
    method: "GET",
    path: "/api/v1/openapi.json",
    auth: "none",
    summary: "This interface as an OpenAPI 3.1 document.",
    contentType: "application/json",
    specification: {
      url: "https://spec.openapis.org/oas/v3.1.0.html",
      description: "OpenAPI Specification 3.1",
    },
  },
];
