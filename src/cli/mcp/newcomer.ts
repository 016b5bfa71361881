import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import * as z from "zod";
import { solveChallenge } from "../../client/challenge.ts";
import { CairnError, type Connection, connect } from "../../client/index.ts";
import { send } from "../../client/transport.ts";
import { contracts } from "../../domains/contracts.ts";
import type { Operation } from "../../platform/kernel/contract/operation.ts";
import { discovery } from "../../surfaces/describe/catalogue.ts";
import { refuseUnknown } from "../../surfaces/dispatch/teaching.ts";
import { capped } from "../../surfaces/mcp/answer-cap.ts";
import {
  DOCUMENT_TOOL,
  documentCall,
  documentsIn,
  documentTool,
  noDocument,
  toolOf,
} from "../../surfaces/mcp/tools/tools.ts";
import { registerWithKey } from "./acts.ts";
import type { Passed } from "./remote.ts";
import { refusal, refusalOf, success } from "./results.ts";
import { isNodeError, keepToken } from "./token-file.ts";
import { recordNetwork } from "./token-place.ts";

const { register } = contracts.identity;

const REGISTER_TOOL = "identity_register";

/** What a host sees of the registration: no challenge, which is solved here, and no token. */
const REGISTRATION = {
  ...register,
  summary:
    "Register an agent; its token is kept in a file and never shown. Every other tool appears afterwards.",
  input: register.input.pick({ handle: true, ref: true }),
  output: register.output.omit({ token: true, save_this: true }),
};

const documents: ReadonlyMap<string, Operation> = documentsIn([
  ...Object.values(contracts).flatMap((contract): Operation[] => Object.values(contract)),
  discovery.catalogue,
]);

const TOOLS = [
  documentTool([...documents.keys()], "full"),
  toolOf(REGISTER_TOOL, REGISTRATION, "full"),
];

/** What there is of each list, as long as nobody is registered. */
const LISTS: Readonly<Record<string, Result>> = {
  "tools/list": { tools: TOOLS },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "prompts/list": { prompts: [] },
  "completion/complete": { completion: { values: [] } },
};

export interface NewcomerParts {
  readonly connection: Connection;
  readonly tokenFile: string;
  /** Where an act key is kept, where the agent gets one. */
  readonly keyFile: string | null;
  readonly handle: string | undefined;
  /** Runs a registration when those before it have ended. */
  readonly inTurn: <T>(register: () => Promise<T>) => Promise<T>;
  /** Told when the token is in its file. */
  readonly onRegistered: (token: string) => void;
}

const call = z.object({ name: z.string(), arguments: z.looseObject({}).default({}) });

/** Answers a host that has no token yet: it reads documents, and registers. */
export async function answerNewcomer(
  parts: NewcomerParts,
  { method, params, signal }: Passed,
): Promise<Result> {
  const list = LISTS[method];
  if (list !== undefined) return list;
  const asked = call.safeParse(params).data;
  if (method !== "tools/call" || asked === undefined) throw REGISTER_FIRST;
  try {
    if (asked.name === REGISTER_TOOL)
      return await parts.inTurn(() => registered(parts, asked.arguments, signal));
    if (asked.name !== DOCUMENT_TOOL) throw REGISTER_FIRST;
    const called = documentCall(documents, asked.arguments);
    if (called === undefined) return refusal({ ok: false, ...noDocument(documents.keys()) });
    const { operation, args } = called;
    const { body } = await capped(operation, args, async (asked) => {
      const answer = Object(await send(parts.connection, operation, asked, { signal }));
      return { text: JSON.stringify(answer), body: answer };
    });
    return success(body);
  } catch (error) {
    return fileRefusal(error) ?? refusalOf(error instanceof RangeError ? unfit(error) : error);
  }
}

async function registered(
  { connection, tokenFile, keyFile, handle, onRegistered }: NewcomerParts,
  args: object,
  signal: AbortSignal,
): Promise<Result> {
  refuseUnknown(REGISTRATION, args);
  const { data } = REGISTRATION.input.safeParse({ handle, ...args });
  if (data === undefined) return refusal(UNFIT);
  const { identity } = connect({ ...connection, signal });
  // The first step is to save the token, which is in its file by now.
  const {
    token,
    save_this,
    next: [, ...next],
    ...shown
  } = await keepToken(tokenFile, join);
  recordNetwork(tokenFile, connection.baseUrl);
  onRegistered(token);
  return success({ ...shown, next });

  async function join() {
    const solved = await solveChallenge(await identity.challenge(), { signal });
    const fields = { ...data, ...solved };
    if (keyFile === null) return identity.register(fields);
    return registerWithKey(keyFile, (sent) => identity.register(sent), fields);
  }
}

/** A puzzle that asks for too much work. */
const unfit = ({ message }: RangeError) => new CairnError({ code: "unexpected_answer", message });

/** The refusal where the token's file cannot be made or used; null for any other fault. */
function fileRefusal(error: unknown): Result | null {
  if (!isNodeError(error) || error.syscall === undefined) return null;
  return refusal(error.code === "EEXIST" ? TAKEN : UNUSABLE);
}

const REGISTER_FIRST = new ProtocolError(
  ProtocolErrorCode.InvalidParams,
  `Call ${REGISTER_TOOL} first.`,
);
const UNFIT = {
  ok: false,
  error: "validation_failed",
  message: "A handle has 2 to 32 of a-z, 0-9 and -; a ref is one line of at most 200 characters.",
} as const;
const TAKEN = {
  ok: false,
  error: "token_file_exists",
  message: "The file for the token exists already. Start again to use the token in it.",
} as const;
const UNUSABLE = {
  ok: false,
  error: "token_file_unusable",
  message: "The file for the token cannot be made. Nothing was registered.",
} as const;
