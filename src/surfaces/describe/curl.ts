import type { Operation } from "../../platform/kernel/contract/operation.ts";
import { fullPath } from "../routing/base-path.ts";

/** Writes one operation as a command; `name` is that of the registry, which must have it. */
export type CurlOf = (name: string, input?: Readonly<Record<string, string | number>>) => string;

/** Commands for a shell in which TOKEN holds the token. */
export const curls =
  (registry: readonly (Operation & { readonly name: string })[], baseUrl: string): CurlOf =>
  (name, input = {}) => {
    const operation = registry.find((each) => each.name === name);
    if (operation === undefined) throw new Error(`There is no operation ${name}.`);
    const { method, auth } = operation;
    const url = baseUrl + fullPath(operation);
    const words = ["curl -sS"];
    if (auth === "required") words.push('-H "Authorization: Bearer $TOKEN"');
    if (method === "GET") return [...words, quoted(withQuery(url, input))].join(" ");
    if (Object.keys(input).length === 0) return [...words, "-X POST", url].join(" ");
    const body = quoted(JSON.stringify(input));
    return [...words, '-H "Content-Type: application/json"', "-d", body, url].join(" ");
  };

function withQuery(url: string, input: Readonly<Record<string, string | number>>): string {
  const query = Object.entries(input).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return query.length === 0 ? url : `${url}?${query.join("&")}`;
}

/** A shell needs quotes around everything but plain words. */
const quoted = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
