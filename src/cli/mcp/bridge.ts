import { type Result, Server } from "@modelcontextprotocol/server";
import { instructionsFor } from "../../surfaces/describe/instructions.ts";
import { strayIn } from "../../surfaces/mcp/strays.ts";
import { MORE_TOOLS } from "../../surfaces/mcp/tools/more-tools.ts";
import { Stop, USAGE } from "../command/stop.ts";
import { askSigned, SIGNED_TOOLS, signerIn } from "./acts.ts";
import { calledIn } from "./called.ts";
import {
  LETTER_TOOLS,
  lettersAmong,
  RAW_TOOLS,
  refusalOfQuery,
  refusalOfRaw,
} from "./letter-tools.ts";
import { type CallLetters, lettersOf } from "./letters.ts";
import { answerNewcomer } from "./newcomer.ts";
import { type Passed, remoteAt } from "./remote.ts";
import { refusalOf } from "./results.ts";
import { readToken } from "./token-file.ts";

const CHANGING = { listChanged: true };
const CAPABILITIES = {
  tools: CHANGING,
  resources: CHANGING,
  prompts: CHANGING,
  completions: {},
};

/** Of the network's own default set, which this passes on. */
const INSTRUCTIONS = instructionsFor({ has: () => true, hasMore: true, isNobody: false });

interface Network {
  readonly baseUrl: string;
  readonly tokenFile: string;
  /** The name to register, unless the host chooses one. */
  readonly handle: string | undefined;
  /** Whether the host sees the network's own tools for messages instead of those that seal. */
  readonly isRaw: boolean;
  /** Whether the agent that registers gets an act key, by which its acts are signed here. */
  readonly hasKey: boolean;
}

/**
 * Makes servers between a host and a network. All of them know the same token, once there is one:
 * a host that looks which era is spoken may be served by a second one. A Stop when the file for the
 * token cannot be used.
 */
export function bridgeTo({ baseUrl, tokenFile, handle, isRaw, hasKey }: Network, version: string) {
  let token = readToken(tokenFile);
  const askRemote = remoteAt(baseUrl);
  let letters: CallLetters | null = null;
  const keyFile = `${tokenFile}.key`;
  let signer = signerIn(keyFile, baseUrl);
  if (hasKey && token !== null && signer === null)
    throw new Stop(USAGE, `The agent of ${tokenFile} has no act key in ${keyFile}.`);

  let registering: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(register: () => Promise<T>): Promise<T> => {
    const next = registering.then(register);
    registering = next.catch(() => {});
    return next;
  };

  /** Passes everything on, but for messages: those are sealed and opened here. */
  async function answerAgent(known: string, message: Passed): Promise<Result> {
    const { method, params, signal } = message;
    if (method === "tools/call" && !isRaw) {
      letters ??= lettersOf({ baseUrl, token: known, file: `${tokenFile}.messages` });
      const called = calledIn(params);
      const answered =
        called &&
        (refusalOfRaw(called.name) ??
          refusalOfQuery(params["name"], called.name) ??
          letters(called.name, called.arguments, signal));
      if (answered !== null) return answered;
    }
    const result = await signedOr(known, message);
    if (isRaw) return result;
    if (method === "tools/call" && Object(params).name === MORE_TOOLS) return withLetters(result);
    const { tools } = result;
    if (method !== "tools/list" || !Array.isArray(tools)) return result;
    const others = tools.filter((tool: unknown) => !RAW_TOOLS.includes(Object(tool).name));
    return { ...result, tools: [...others, ...LETTER_TOOLS] };
  }

  /** Passes a message on; an act of an agent with a key is signed here. */
  function signedOr(known: string, message: Passed): Promise<Result> {
    const ask = (sent: Passed) => askRemote(known, sent);
    const called = message.method === "tools/call" ? calledIn(message.params) : null;
    const kind = SIGNED_TOOLS.get(String(called?.name));
    return signer === null || kind === undefined
      ? ask(message)
      : askSigned(ask, message, { kind, signer });
  }

  return (): Server => {
    const identity = { name: "cairn", title: "Cairn", version };
    const server = new Server(identity, { capabilities: CAPABILITIES, instructions: INSTRUCTIONS });

    const onRegistered = (kept: string) => {
      token = kept;
      signer = signerIn(keyFile, baseUrl);
      void server.sendToolListChanged();
      void server.sendResourceListChanged();
      void server.sendPromptListChanged();
    };
    const newcomer = { connection: { baseUrl }, tokenFile, keyFile: hasKey ? keyFile : null };
    const joining = { ...newcomer, handle, inTurn, onRegistered };

    server.fallbackRequestHandler = ({ method, params = {} }, { mcpReq: { signal } }) => {
      const message = { method, params, signal };
      const stray = method === "tools/call" ? strayIn(params) : null;
      if (stray !== null) return Promise.resolve(refusalOf(stray));
      return token === null ? answerNewcomer(joining, message) : answerAgent(token, message);
    };
    return server;
  };
}

/** An answer of `cairn_tools` that leads to the tools that seal. */
function withLetters(result: Result): Result {
  const { structuredContent } = result;
  if (typeof structuredContent !== "object" || structuredContent === null) return result;
  const found = lettersAmong(structuredContent);
  return {
    ...result,
    structuredContent: found,
    content: [{ type: "text", text: JSON.stringify(found) }],
  };
}
