import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { blockHash } from "../block.ts";
import { DEV_ACTIONS, type DevParts, devCall } from "./actions.ts";
import { openDevJournal } from "./journal.ts";
import { BlockRefused, type DevLedger, devLedger } from "./ledger.ts";
import { type DevWallet, devGenesis, devWallet } from "./wallet.ts";

const CALL_BYTES_MAX = 65_536;
const LOOPBACK = "127.0.0.1";

/** From a block's arrival to its confirmation, by default: about as long as on the live network. */
export const CONFIRM_AFTER_MS = 400;

/** An answer on its way out: whole, cut off in the middle, or never sent. */
export interface Sent {
  readonly status: number;
  readonly body: string;
  readonly sends: "whole" | "half" | "nothing";
}

/** Spoils answers, for tests: no call can switch one on. */
export type Fault = (action: string, answer: object, request: string) => Sent;

export const honest: Fault = (_action, answer) => ({
  status: 200, // Also for errors: nodes do so.
  body: JSON.stringify(answer),
  sends: "whole",
});

/** The chain itself, without a listener. */
export interface DevChain extends DevParts {
  readonly ledger: DevLedger;
  readonly wallet: DevWallet;
}

/** `file` keeps the blocks over restarts; null keeps them in memory. */
export function openDevChain(parts: {
  readonly file: string | null;
  readonly confirmAfter_ms: number;
  readonly now_ms: () => number;
}): DevChain {
  const first = devGenesis();
  const ledger = devLedger({ ...parts, genesis: first });
  const journal = parts.file === null ? null : openDevJournal(parts.file, ledger);
  const save: DevParts["save"] = (block) => journal?.save(block);
  return { ledger, save, wallet: devWallet(ledger, save), genesis: blockHash(first) };
}

/** A listener that answers as a Nano node does. */
export interface DevNode {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on the loopback address only; port 0 is any free one. Rejects when the port is taken. */
export async function listenDevNode(
  chain: DevChain,
  port: number,
  fault: Fault = honest,
): Promise<DevNode> {
  const server = createServer((request, response) => {
    answer(chain, fault, request, response).catch(() => response.destroy());
  });
  server.listen(port, LOOPBACK);
  await once(server, "listening");
  server.unref(); // The service keeps the process running, not its play money.
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${LOOPBACK}:${bound}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  chain: DevChain,
  fault: Fault,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = await textOf(request);
  const [action, answered] = answerTo(chain, text);
  const { status, body, sends } = fault(action, answered, text);
  if (sends === "nothing") return;
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  if (sends === "whole") response.end(body);
  else response.write(body.slice(0, body.length / 2), () => response.destroy());
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > CALL_BYTES_MAX) throw new Error("A call is short.");
  }
  return text;
}

/** The action of a call and its answer; errors are answers, too. */
export function answerTo(chain: DevChain, text: string): readonly [string, object] {
  const call = devCall.safeParse(jsonOf(text)).data;
  if (call === undefined) return ["", { error: "Unable to parse JSON" }];
  const { action } = call;
  try {
    const run = DEV_ACTIONS.get(action);
    return [action, run === undefined ? { error: "Unknown command" } : run(chain, call)];
  } catch (error) {
    if (!(error instanceof BlockRefused)) throw error;
    return [action, { error: error.message }];
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
