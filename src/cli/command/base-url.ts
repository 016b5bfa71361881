/** The base URL of a service, named with or without its API's path; null when it is no such URL. */
export function baseUrlIn(named: string): string | null {
  const url = URL.parse(named);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const path = url.pathname.replace(/\/+$/, "").replace(/\/api\/v1(?:\/mcp)?$/, "");
  return `${url.origin}${path}`;
}
