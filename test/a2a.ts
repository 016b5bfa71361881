import type { Reply, TestAgent, TestService } from "./service.ts";

const REST = "/api/v1/a2a/rest";

/** What a request may have beside its body. */
interface Extra {
  readonly version?: string;
  readonly type?: string;
}

async function send(url: string, init: RequestInit): Promise<Reply> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) };
}

function headersOf({ token }: TestAgent, { version = "1.0", type = "application/json" }: Extra) {
  const headers = new Headers({ authorization: `Bearer ${token}`, "content-type": type });
  if (version !== "none") headers.set("a2a-version", version);
  return headers;
}

/** An agent that speaks the Agent2Agent Protocol without the SDK: what is on the wire is seen. */
export function speakerOf(service: TestService, agent: TestAgent) {
  const post = (body: string, extra: Extra = {}) =>
    send(`${service.url}/api/v1/a2a`, { method: "POST", headers: headersOf(agent, extra), body });
  const call = async (method: string, params?: unknown, extra?: Extra) =>
    (await post(JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }), extra)).body;
  const rest = (method: string, path: string, body?: unknown, extra: Extra = {}) =>
    send(service.url + REST + path, {
      method,
      headers: headersOf(agent, extra),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    /** One JSON-RPC request as text. */
    post,
    /** One JSON-RPC call; the whole answer. */
    call,
    /** One request of the HTTP+JSON binding. */
    rest,
    /** Delegates a task and gives it back. */
    delegate: async (fields: object = {}) =>
      (await call("SendMessage", { message: message(fields) })).result.task,
  };
}

let count = 0;

/** A message of the wire; nobody has sent it before. */
export const message = (fields: object = {}) => ({
  role: "ROLE_USER",
  parts: [{ text: "Do this." }],
  messageId: `message-${count++}`,
  ...fields,
});
