/** Longer addresses are no callback of a host, and a client id has to hold them. */
export const REDIRECT_MAX_CHARS = 512;
export const REDIRECTS_MAX = 8;

/** Callbacks of hosts that are web pages. One that ends in a slash stands for everything below. */
const HOST_CALLBACKS = [
  "https://claude.ai/api/mcp/auth_callback",
  "https://claude.com/api/mcp/auth_callback",
  "https://chatgpt.com/connector_platform_oauth_redirect",
  "https://chatgpt.com/connector/oauth/",
  "https://vscode.dev/redirect",
  "https://insiders.vscode.dev/redirect",
] as const;

/** Schemes of editors that have no dot in their names (RFC 8252, 7.1 asks for one). */
const EDITORS: readonly string[] = [
  "cursor",
  "vscode",
  "vscode-insiders",
  "vscodium",
  "windsurf",
  "zed",
];

const LOOPBACK: readonly string[] = ["127.0.0.1", "[::1]", "localhost"];

/**
 * Why a code may not be sent to an address; null when it may. An authorization asks nobody anything, so
 * any other address would make the service a redirector to wherever a stranger likes (RFC 9700, 4.11).
 */
export function faultOfRedirect(text: string, callbacks: readonly string[]): string | null {
  if (text.length > REDIRECT_MAX_CHARS) return `must have at most ${REDIRECT_MAX_CHARS} characters`;
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) return "must be an absolute URI";
  const url = new URL(text);
  if (text.includes("#")) return "must have no fragment";
  if (url.username !== "" || url.password !== "") return "must name no user";
  if (url.protocol === "http:")
    return LOOPBACK.includes(url.hostname) ? null : "must be https, or http to this machine itself";
  if (url.protocol === "https:")
    return isListed(url, callbacks) ? null : "must be a callback that the operator has listed";
  const scheme = url.protocol.slice(0, -1);
  return scheme.includes(".") || EDITORS.includes(scheme)
    ? null
    : "must have a scheme with a dot, such as com.example.app";
}

/** By its normal form, so that dots and escapes in a path lead nowhere else. */
const isListed = ({ origin, pathname }: URL, callbacks: readonly string[]): boolean =>
  !/%2f|%5c|%2e/i.test(pathname) &&
  [...HOST_CALLBACKS, ...callbacks].some((listed) =>
    listed.endsWith("/") ? (origin + pathname).startsWith(listed) : origin + pathname === listed,
  );

/** Whether two addresses are one callback: on this machine itself any port is (RFC 8252, 7.3). */
export const isSameRedirect = (registered: string, asked: string): boolean =>
  registered === asked || (portless(registered) ?? registered) === portless(asked);

function portless(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.protocol !== "http:" || !LOOPBACK.includes(url.hostname)) return null;
  url.port = "";
  return url.href;
}
