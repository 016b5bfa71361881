import canonicalize from "canonicalize";

/** Any value that JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [name: string]: Json };

/** The RFC 8785 (JCS) text of a JSON value: the only text that is hashed or stored as JSON. */
export function canonicalJson(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError("This value has no JSON text.");
  return text;
}
