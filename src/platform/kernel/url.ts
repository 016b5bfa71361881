/** The URL that a text is; null where it is none. `URL.canParse` is younger than the oldest browsers of the client. */
export function urlIn(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** What every command and setting takes where it takes the address of a service. */
export const WEB_URL = "a URL of http or https without a user name or password";

/** The URL that a text is, if it is one of the web and holds no user name or password; else null. */
export function webUrlIn(text: string): URL | null {
  const url = urlIn(text);
  const isWeb = url !== null && /^https?:$/.test(url.protocol);
  return isWeb && url.username === "" && url.password === "" ? url : null;
}

/** Whether a text is meant as a URL of the web, and not as the name of a file. */
export const isWebAddress = (text: string): boolean => /^https?:/i.test(text);

/** The base URL of a service, named with or without its API's path; null when it is no such URL. */
export function baseUrlIn(named: string): string | null {
  const url = webUrlIn(named);
  if (url === null) return null;
  const path = url.pathname.replace(/\/+$/, "").replace(/\/api\/v1(?:\/mcp)?$/, "");
  return `${url.origin}${path}`;
}

/** A text that may be a URL, as it is repeated: nobody learns a password of a log or a terminal. */
export const withoutUser = (text: string): string => text.replace(/(:\/*)\S*@/g, "$1…@");
