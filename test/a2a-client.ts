import { randomUUID } from "node:crypto";
import { Role, type SendMessageRequest } from "@a2a-js/sdk";
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from "@a2a-js/sdk/client";
import type { TestAgent, TestService } from "./service.ts";

/** Goes to the test's service, whatever its card says, with the agent's token. */
export const fetchOf =
  ({ url }: TestService, { token }: TestAgent): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(String(input).replace("http://127.0.0.1:8080", url), { ...init, headers });
  };

const TRANSPORTS = { JSONRPC: JsonRpcTransportFactory, "HTTP+JSON": RestTransportFactory } as const;
type Binding = keyof typeof TRANSPORTS;

/** The official client. */
export function clientOf(service: TestService, agent: TestAgent, binding: Binding) {
  const fetchImpl = fetchOf(service, agent);
  const transports = [new TRANSPORTS[binding]({ fetchImpl })];
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl });
  return new ClientFactory({ transports, cardResolver }).createFromUrl(service.url);
}

interface Sending {
  readonly messageId?: string;
  readonly taskId?: string;
  readonly contextId?: string;
}

export const sending = (text: string, { messageId, taskId, contextId }: Sending = {}) =>
  ({
    tenant: "",
    message: {
      messageId: messageId ?? randomUUID(),
      contextId: contextId ?? "",
      taskId: taskId ?? "",
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: "text", value: text },
          metadata: undefined,
          filename: "",
          mediaType: "",
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  }) satisfies SendMessageRequest;

export const one = (id: string) => ({ tenant: "", id, metadata: undefined });
