import type { Auth } from "../kernel/operation.ts";

/** What outsiders may know of a route whose body follows a specification of its own, without `ok`. */
export interface RawRecord {
  readonly method: "GET";
  /** The whole path, without parameters; some lie outside `/api/v1`. */
  readonly path: `/${string}`;
  readonly auth: Auth;
  readonly summary: string;
  readonly contentType: string;
  readonly maxAge_s: number;
  /** What the body follows. */
  readonly specification: { readonly url: string; readonly description: string };
}

/** By the name that the catalogue's `documents` gives them. */
export const RAW = {
  openapi: {
    method: "GET",
    path: "/api/v1/openapi.json",
    auth: "none",
    summary: "This interface as an OpenAPI 3.1 document.",
    contentType: "application/json",
    maxAge_s: 60,
    specification: {
      url: "https://spec.openapis.org/oas/v3.1.0.html",
      description: "OpenAPI Specification 3.1",
    },
  },
} as const satisfies Readonly<Record<string, RawRecord>>;
