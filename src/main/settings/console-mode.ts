import { isIPv6 } from "node:net";
import { isInside, LOOPBACK, parseAddress } from "../../platform/kernel/address.ts";

interface ConsoleSettings {
  readonly adminHost: string;
  readonly adminPort: number;
  readonly console: "off" | "read" | "act" | null;
  readonly consoleOrigin: string | null;
  readonly baseUrl: string | null;
}

function isLoopback(host: string): boolean {
  const address = parseAddress(host);
  return address === null ? host === "localhost" : isInside(address, LOOPBACK);
}

/** The mode of the console. Unless set, it reads where only this machine reaches it, or a proxy that was meant. */
export const consoleModeOf = ({
  adminHost,
  console,
  consoleOrigin,
}: Pick<ConsoleSettings, "adminHost" | "console" | "consoleOrigin">): "off" | "read" | "act" =>
  console ?? (isLoopback(adminHost) || consoleOrigin !== null ? "read" : "off");

/** Where a console may be, and may act: a sentence, or null when it is well. */
export function consoleConflict(settings: ConsoleSettings): string | null {
  const { adminHost, adminPort, console, consoleOrigin, baseUrl } = settings;
  if (console === "act" && consoleOrigin === null && !isLoopback(adminHost))
    return "CAIRN_CONSOLE is act, so CAIRN_ADMIN_HOST must be a loopback address, reached by SSH (ssh -L), or CAIRN_CONSOLE_ORIGIN must name the console's address behind a proxy with TLS.";
  if (consoleOrigin === null) return null;
  if (adminPort === 0)
    return "CAIRN_CONSOLE_ORIGIN is set, and CAIRN_ADMIN_PORT is 0: the console is on the operators' listener.";
  if (baseUrl !== null && URL.parse(baseUrl)?.host === URL.parse(consoleOrigin)?.host)
    return "CAIRN_CONSOLE_ORIGIN has the host of CAIRN_BASE_URL: give the console a name of its own, apart from what strangers write.";
  return null;
}

/** Where the operators' listener of a service on this machine answers. */
export function operatorsUrl({
  adminHost,
  adminPort,
}: Pick<ConsoleSettings, "adminHost" | "adminPort">): string {
  const host = ["0.0.0.0", "::"].includes(adminHost) ? "127.0.0.1" : adminHost;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${adminPort}`;
}
