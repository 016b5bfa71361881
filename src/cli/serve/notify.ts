import { spawn } from "node:child_process";
import type { Environment } from "../command/command.ts";

/**
 * Tells systemd that the service serves, where its unit waits for that (`Type=notify`). Node has no datagram
 * sockets of its own for it, so systemd's program sends the message; `NotifyAccess=all` admits it.
 */
export function notifyReady({ NOTIFY_SOCKET, PATH }: Environment): void {
  if (!NOTIFY_SOCKET) return;
  const env = { NOTIFY_SOCKET, PATH };
  const child = spawn("systemd-notify", ["--ready"], { env, stdio: "ignore" });
  child.on("error", () => console.error("systemd-notify is not there: systemd waits in vain."));
}
