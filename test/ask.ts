import type { TestContext } from "node:test";
import { openTiny, type Tiny, type TinyOptions, TOKEN } from "./tiny-network.ts";

export const BASE = "/api/v1";
export const AS_AGENT = { authorization: `Bearer ${TOKEN}` };

/** The fields of the tests' answers. */
interface Body {
  readonly ok: boolean;
  readonly error?: string;
  readonly code?: number;
  readonly message?: string;
  readonly details?: readonly { readonly field: string; readonly problem: string }[];
  readonly accepts?: readonly string[];
  readonly allowed?: readonly string[];
  readonly did_you_mean?: readonly { readonly method: string; readonly path: string }[];
  readonly docs?: string;
  readonly hints?: readonly { readonly field: string; readonly problem: string }[];
  readonly request_id?: string;
  readonly tag?: string;
  readonly name?: string;
  readonly agent_id?: string | null;
}

/** A tiny service that ends with its test. */
export async function open(t: TestContext, options?: TinyOptions): Promise<Tiny> {
  const tiny = await openTiny(options);
  t.after(tiny.close);
  return tiny;
}

export async function ask(tiny: Tiny, path: string, init: RequestInit = {}) {
  const response = await fetch(tiny.url + path, init);
  const text = await response.text();
  const body = (text.startsWith("{") ? JSON.parse(text) : {}) as Body;
  return { status: response.status, headers: response.headers, text, body };
}

export const post = (
  tiny: Tiny,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) =>
  ask(tiny, path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
