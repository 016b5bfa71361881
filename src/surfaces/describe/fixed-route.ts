import * as z from "zod";
import type { ErrorCode } from "../../platform/kernel/contract/errors.ts";
import type { Auth } from "../../platform/kernel/contract/operation.ts";

/** What outsiders may know of a route whose body follows a specification of its own, without `ok`. */
export interface FixedRoute {
  readonly method: "GET" | "POST";
  /** The whole path; some lie outside `/api/v1`. */
  readonly path: `/${string}`;
  readonly auth: Auth;
  readonly summary: string;
  /** The parameters of path and query. */
  readonly input: z.ZodObject;
  readonly errors: readonly ErrorCode[];
  readonly contentType: string;
  /** A body that works as it stands. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Of the success; 200 unless it says otherwise. */
  readonly status?: 201;
  /** Set where no answer of a GET is kept. */
  readonly uncached?: true;
  /** What its own protocol answers beside the success, in its own words or without any. */
  readonly ownStatuses?: readonly number[];
  /** Why it is neither a tool nor a resource; markdown documents are resources. */
  readonly noTool?: string;
  /** The path that answers the same bytes, where this is its second one. */
  readonly alias_of?: `/${string}`;
  /** What the body follows. */
  readonly specification: { readonly url: string; readonly description: string };
}

export const NO_INPUT = z.object({});

export const A2A_SPECIFICATION = {
  url: "https://a2a-protocol.org/latest/specification/",
  description: "Agent2Agent Protocol",
};

export const A2A_IS_APART =
  "It is another protocol; what it delegates is a request, which has tools.";
