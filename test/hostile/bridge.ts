import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import type { Program } from "../process.ts";

interface Answer {
  readonly id?: number;
  // Tests read fields of answers freely.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A host with a bridge of its own, spoken to line by line. */
export interface Bridge {
  readonly process: ChildProcess;
  /** Sends a request, and a notification with an id of -1. */
  say(method: string, params?: object): number;
  notify(method: string, params: object): void;
  /** Resolves to the answer, or to null after so long. */
  answer(id: number, patience_ms: number): Promise<Answer | null>;
  /** The host's end is closed; resolves to the exit code or signal, or to null after so long. */
  close(patience_ms: number): Promise<number | string | null>;
}

/** Starts `cairn mcp` with these words, and introduces a host of the first generation. */
export async function openBridge(
  [file, ...words]: Program,
  args: readonly string[],
): Promise<Bridge> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE };
  const child = spawn(file, [...words, "mcp", ...args], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const answers = new Map<number, Answer>();
  createInterface(child.stdout).on("line", (line) => {
    const answer: Answer = JSON.parse(line);
    if (answer.id !== undefined) answers.set(answer.id, answer);
  });
  child.stdin.on("error", () => {});
  const send = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let ids = 0;
  const bridge: Bridge = {
    process: child,
    say(method, params = {}) {
      send({ id: ++ids, method, params });
      return ids;
    },
    notify: (method, params) => void send({ method, params }),
    async answer(id, patience_ms) {
      const end = performance.now() + patience_ms;
      while (!answers.has(id) && performance.now() < end) await setTimeout(5);
      return answers.get(id) ?? null;
    },
    async close(patience_ms) {
      child.stdin.end();
      const late = setTimeout(patience_ms, null, { ref: false });
      const found = await Promise.race([ended, late]);
      return found === null ? null : (found[0] ?? found[1]);
    },
  };
  const clientInfo = { name: "host", version: "1" };
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  await bridge.answer(bridge.say("initialize", hello), 60_000);
  bridge.notify("notifications/initialized", {});
  return bridge;
}
