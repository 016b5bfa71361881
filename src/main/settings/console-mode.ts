import { isIPv6 } from "node:net";
import { isInside, LOOPBACK, parseAddress } from "../../kernel/address.ts";

interface ConsoleSettings {
  readonly adminHost: string;
  readonly console: "off" | "read" | "act" | null;
}

function isLoopback(host: string): boolean {
  const address = parseAddress(host);
  return address === null ? host === "localhost" : isInside(address, LOOPBACK);
}

/** The mode of the console. Unless set, it reads where only this machine reaches it. */
export const consoleModeOf = ({ adminHost, console }: ConsoleSettings): "off" | "read" | "act" =>
  console ?? (isLoopback(adminHost) ? "read" : "off");

/** A console that acts is for this machine alone: a sentence, or null when it is. */
export const consoleConflict = ({ adminHost, console }: ConsoleSettings): string | null =>
  console === "act" && !isLoopback(adminHost)
    ? "CAIRN_CONSOLE is act, so CAIRN_ADMIN_HOST must be a loopback address; reach it by SSH (ssh -L)."
    : null;

/** Where the operators' listener of a service on this machine answers. */
export function operatorsUrl({
  adminHost,
  adminPort,
}: Pick<ConsoleSettings, "adminHost"> & { readonly adminPort: number }): string {
  const host = ["0.0.0.0", "::"].includes(adminHost) ? "127.0.0.1" : adminHost;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${adminPort}`;
}
