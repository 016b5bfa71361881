import { request } from "node:http";
import type { TestAgent, TestService } from "../service.ts";

const REVISION = "2026-07-28";

/** An answer of the endpoint as it came. */
interface Raw {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // Tests read fields of answers freely.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

/** The endpoint without a client between: what is on the wire is seen. */
export function rawMcp({ url }: Pick<TestService, "url">, { token }: Pick<TestAgent, "token">) {
  /** A request that `fetch` would not send: with any Host, and any body. */
  function send(body: string, headers: Record<string, string> = {}, path = ""): Promise<Raw> {
    const { hostname, port } = new URL(url);
    const fields = { "content-type": "application/json", accept: "*/*", ...headers };
    return new Promise((resolve, reject) => {
      const target = { hostname, port, path: `/api/v1/mcp${path}`, method: "POST" };
      request({ ...target, headers: fields }, async (answer) => {
        let text = "";
        for await (const chunk of answer) text += chunk;
        const parsed = text === "" ? null : JSON.parse(text);
        resolve({ status: answer.statusCode, headers: answer.headers, body: parsed });
      })
        .on("error", reject)
        .end(body);
    });
  }

  const withToken = (headers: Record<string, string> = {}) => ({
    authorization: `Bearer ${token}`,
    ...headers,
  });

  /** A message of the modern era with its headers. */
  function ask(method: string, params: Record<string, unknown> = {}, path = ""): Promise<Raw> {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": REVISION,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const name = params["name"] ?? params["uri"];
    const headers = {
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
    };
    const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
    return send(JSON.stringify(message), withToken(headers), path);
  }

  return { send, ask, withToken };
}
