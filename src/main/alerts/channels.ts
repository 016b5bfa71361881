import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Log } from "../log.ts";

/** What a receiver is told, as JSON. */
export interface Notice {
  /** Of this notice; a repetition after a failure has the same. */
  readonly id: string;
  /** The name of a condition (`CairnDiskFull`), of an alarm of the log, or `test`. */
  readonly alert: string;
  /** `event`: it happened, and nothing tells when it is over. */
  readonly state: "raised" | "resolved" | "event" | "test";
  readonly severity: "page" | "ticket";
  readonly sentence: string;
  readonly advice: string;
  /** Unix seconds. */
  readonly since: Seconds;
  readonly at: Seconds;
  readonly runbook: string;
  /** The origin of the ledger, and the address of the network. */
  readonly network: string;
  readonly base_url: string;
}

/** Where notices go: null when it was taken, else why not. */
export interface Channel {
  readonly name: "log" | "webhook" | "command";
  send(notice: Notice): Promise<string | null>;
}

/** A line for each condition. Alarms of the log are there already. */
export const logChannel = (log: Pick<Log, "error" | "warn">): Channel => ({
  name: "log",
  async send({ alert, state, severity, sentence, advice, since, runbook }) {
    const facts = { state, severity, sentence, advice, since, runbook };
    if (state === "raised") log.error(facts, alert);
    if (state === "resolved") log.warn(facts, alert);
    return null;
  },
});

const PATIENCE_MS = 5_000;
const COMMAND_MAX_MS = 30_000;

/** The key of a secret: base64 behind `whsec_`, else the text itself (Standard Webhooks 1.0). */
const keyOf = (secret: string): Buffer =>
  secret.startsWith("whsec_")
    ? Buffer.from(secret.slice("whsec_".length), "base64")
    : Buffer.from(secret);

const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
};

/**
 * Posts a notice, signed by `webhook-signature` where there is a secret (Standard Webhooks 1.0). It waits for 5
 * seconds, follows no redirect, reads nothing of the answer, and takes 2xx alone for an answer.
 */
export const webhook = (url: string, secret: string | null): Channel => ({
  name: "webhook",
  async send(notice) {
    const body = JSON.stringify(notice);
    const headers: Record<string, string> = {
      "content-type": "application/json",
      "webhook-id": notice.id,
      "webhook-timestamp": `${notice.at}`,
    };
    if (secret !== null) {
      const signed = `${notice.id}.${notice.at}.${body}`;
      const mac = createHmac("sha256", keyOf(secret)).update(signed).digest("base64");
      headers["webhook-signature"] = `v1,${mac}`;
    }
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const answer = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers,
        body,
        signal,
      });
      await answer.body?.cancel();
      return answer.ok ? null : `It answered ${answer.status}.`;
    } catch (error) {
      return `It did not answer: ${reasonOf(error)}.`;
    }
  },
});

/** The environment of the operator's command: nothing of the service's settings, which hold secrets. */
const environment = (all: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("CAIRN_")));

/** Runs a program with the notice as JSON on its standard input; it has 30 seconds. */
export const programOf = (words: readonly string[]): Channel => ({
  name: "command",
  async send(notice) {
    const [file = "", ...args] = words;
    try {
      const child = spawn(file, args, {
        env: environment(process.env),
        stdio: ["pipe", "ignore", "ignore"],
        timeout: COMMAND_MAX_MS,
        killSignal: "SIGKILL",
      });
      child.stdin.on("error", () => {}); // It may end without reading.
      child.stdin.end(`${JSON.stringify(notice)}\n`);
      const [code, signal] = await once(child, "exit");
      return code === 0 ? null : `It ended with ${signal ?? `exit code ${code}`}.`;
    } catch (error) {
      return `It did not run: ${reasonOf(error)}.`;
    }
  },
});

/** Tells somebody outside that the service lives: they miss it when it does not come. */
export async function beat(url: string): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await fetch(url, { method: "POST", redirect: "manual", signal });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`The heartbeat's receiver answered ${answer.status}.`);
}
