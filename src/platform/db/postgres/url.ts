/** Servers that one URL may name. */
const HOSTS_MAX = 8;

const HOSTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s;
const ATTRIBUTE = "target_session_attrs";

/** The servers of a URL, each as a URL of its own, in the order in which they are tried. */
export interface Servers {
  readonly urls: readonly string[];
  /** Whether a standby is passed over. */
  readonly demands: "read-write" | "any";
}

/**
 * Reads `postgres://user:password@h1:5432,h2:5432/db?target_session_attrs=read-write` as libpq does.
 * `read-write` is what several hosts mean unless the URL says `any`; nothing else is known. Null
 * when the text is no such URL, names an empty host, or more than 8.
 */
export function serversOf(text: string): Servers | null {
  const [, head = "", hosts = "", tail = ""] = HOSTS.exec(text) ?? [];
  const named = hosts.split(",");
  const isMany = named.length > 1;
  if (head === "" || named.length > HOSTS_MAX || (isMany && named.includes(""))) return null;
  const parsed = named.map((host) => URL.parse(`${head}${host}${tail}`));
  const urls = parsed.flatMap((url) => (url === null ? [] : [url]));
  if (urls.length < named.length) return null;
  const demands = urls[0]?.searchParams.get(ATTRIBUTE) ?? (isMany ? "read-write" : "any");
  if (demands !== "read-write" && demands !== "any") return null;
  // A driver that does not know the attribute would send it to the server.
  return { urls: urls.map((url) => without(url, ATTRIBUTE)), demands };
}

/** The rest of a query keeps its bytes: a password or a path in it may be written in more than one way. */
function without({ href }: URL, name: string): string {
  const [address = "", query] = href.split("?");
  const kept = (query ?? "")
    .split("&")
    .filter((part) => part !== "" && !part.startsWith(`${name}=`));
  return kept.length === 0 ? address : `${address}?${kept.join("&")}`;
}

/** The same, of a URL that the settings have taken. */
export function serversIn(url: string): Servers {
  const servers = serversOf(url);
  if (servers === null) throw new TypeError("The URL names no PostgreSQL server.");
  return servers;
}
