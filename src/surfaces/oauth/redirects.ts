/** Longer addresses are no callback of a host, and a client id has to hold them. */
export const REDIRECT_MAX_CHARS = 512;
export const REDIRECTS_MAX = 8;

/** Editors in which the extension Cline may run. It takes its codes by the scheme of its editor. */
const EDITORS = ["vscode", "vscode-insiders", "vscodium", "cursor", "windsurf"] as const;

/**
 * Callbacks of known hosts: web pages, and editors by the one address at which each takes a code. An editor
 * does other things at other addresses, such as to install a tool. One that ends in a slash stands for
 * everything below.
 */
const HOST_CALLBACKS: readonly string[] = [
  "https://claude.ai/api/mcp/auth_callback",
  "https://claude.com/api/mcp/auth_callback",
  "https://chatgpt.com/connector_platform_oauth_redirect",
  "https://chatgpt.com/connector/oauth/",
  "https://vscode.dev/redirect",
  "https://insiders.vscode.dev/redirect",
  "https://www.cursor.com/agents/mcp/oauth/callback",
  "https://antigravity.google/oauth-callback",
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "cursor://anysphere.cursor-retrieval/oauth/",
  "warp://mcp/oauth2callback",
  ...EDITORS.map((editor) => `${editor}://saoudrizwan.claude-dev/mcp-auth/callback/`),
];

/** A domain in reverse, such as com.example.app: only an app of its owner has it (RFC 8252, 7.1). */
const REVERSE_DOMAIN = /^[a-z]{2,}(?:\.[a-z0-9-]+)+:$/;

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
  if (plain(text) !== plain(url.href))
    return "must be spelled as it is read: scheme and host in lower case, two slashes, no dot segment";
  if (url.protocol === "http:")
    return LOOPBACK.includes(url.hostname) ? null : "must be https, or http to this machine itself";
  if (isListed(url, callbacks)) return null;
  if (url.protocol === "https:") return "must be a callback that the operator has listed";
  return REVERSE_DOMAIN.test(url.protocol)
    ? null
    : "must be the callback of a known editor, an app's own such as com.example.app:/callback, or http to 127.0.0.1";
}

/** Without what means nothing: an empty path, and the port that the scheme has anyway. */
const plain = (uri: string): string =>
  uri.replace(/^(https?:\/\/[^/?]+?)(?::80|:443)?(?:\/|$|(?=\?))/, "$1/");

/** By its normal form, so that dots and escapes in a path lead nowhere else. Editors read a query as well. */
function isListed(
  { protocol, host, pathname, search }: URL,
  callbacks: readonly string[],
): boolean {
  const bare = `${protocol}//${host}${pathname}`;
  if (/%2f|%5c|%2e/i.test(pathname) || (protocol !== "https:" && search !== "")) return false;
  return [...HOST_CALLBACKS, ...callbacks].some((listed) =>
    listed.endsWith("/") ? bare.startsWith(listed) : bare === listed,
  );
}

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
