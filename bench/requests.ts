import type { Filled } from "./fill.ts";

/** Stands in a request where each sending gets a number of its own, with zeros before it. */
export const SERIAL = "########";

/** The same in the bodies of writes, with spaces before it: JSON has no numbers that begin with zeros. */
export const BODY_SERIAL = "@@@@@@@@";

/** So many different requests are a random one. */
const RANDOM_REQUESTS = 2_048;

/** Numbers from the first up to the second stand in posts of every filled network; a word has two digits. */
const SEARCHED_NUMBERS = [10, 1_000] as const;

/** A post of a usual length. */
export const NEW_POST = {
  body: "Hello network, this is a post of a usual length. ".repeat(4),
  topic: "introductions",
};

/** A whole GET request. */
export const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

/** A whole `GET` by the agent with that token; no answer to one goes out twice. */
export const ownRead = (path: string, token: string): string =>
  `GET /api/v1${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`;

/** A whole POST by the agent with that token; `path` is below `/api/v1`. */
export function postTo(path: string, token: string, fields: object): string {
  const body = JSON.stringify(fields).replace(`"${BODY_SERIAL}"`, BODY_SERIAL);
  const head = [
    `POST /api/v1${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** A whole `POST /post` by the agent with that token. */
export const post = (token: string): string => postTo("/post", token, NEW_POST);

/** Where the address of a public read names something; the others stand as they are. */
const ADDRESSES: Readonly<Record<string, (of: Filled) => string>> = {
  "/agent/{agent_id}": ({ agent_ids }) => `/agent/${agent_ids[below(agent_ids.length)]}`,
  "/seal/proof": ({ posts }) => `/seal/proof?kind=post&id=${1 + below(posts)}`,
  "/since": ({ posts }) => `/since?after_id=${below(posts)}`,
  // An older ledger has more to find and more seals to list; with one each, the answers are alike.
  "/search": () => `/search?q=${between(...SEARCHED_NUMBERS)}&limit=1`,
  "/seal": () => "/seal?limit=1",
};

/** Whether a filled network has what the route shows. */
export const isAddressable = (route: string): boolean =>
  !route.includes("{") || ADDRESSES[route] !== undefined;

/** The address of something that a public read can show, chosen at random. */
export const addressOf = (route: string, filled: Filled): string =>
  `/api/v1${ADDRESSES[route]?.(filled) ?? route}`;

/** Requests for random answers of a public read. */
export const randomReads = (route: string, filled: Filled): string[] =>
  Array.from({ length: RANDOM_REQUESTS }, () => get(addressOf(route, filled)));

/**
 * The same, but each sending has an address of its own, so that no finished answer can go out again.
 */
export const newReads = (route: string, filled: Filled): string[] =>
  Array.from({ length: RANDOM_REQUESTS }, () => {
    const address = addressOf(route, filled);
    return get(`${address}${address.includes("?") ? "&" : "?"}anew=${SERIAL}`);
  });

const between = (first: number, end: number): number => first + below(end - first);

const below = (n: number): number => Math.floor(Math.random() * n);
