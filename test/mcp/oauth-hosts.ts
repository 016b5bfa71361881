import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { TestService } from "../service.ts";
import { INFO, type ToolResult } from "./clients.ts";

export const CALLBACK = "http://127.0.0.1:8090/callback";

/** What a test reads of an answer freely. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export const jsonOf = (answer: Response): Promise<any> => answer.json();

/** The address that the service believes to have: what it says of itself begins with it. */
export const PUBLIC = "http://127.0.0.1:8080";

/** Asks the service itself for what is asked of its public address. */
const through =
  ({ url }: Pick<TestService, "url">): typeof fetch =>
  (asked, init) =>
    fetch(String(asked instanceof Request ? asked.url : asked).replace(PUBLIC, url), init);

/** A host that keeps in memory what it has to keep, and follows redirects without a browser. */
export function host(
  service: Pick<TestService, "url">,
  metadata: Readonly<Record<string, unknown>> = {},
) {
  const reach = through(service);
  // biome-ignore lint/suspicious/noExplicitAny: both SDKs have types of their own for the same values.
  const kept: Record<string, any> = {};
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: { client_name: "tests", redirect_uris: [CALLBACK], ...metadata },
    state: () => "st&te=1",
    clientInformation: () => kept["client"],
    saveClientInformation: (client: unknown) => {
      kept["client"] = client;
    },
    tokens: () => kept["tokens"],
    saveTokens: (tokens: unknown) => {
      kept["tokens"] = tokens;
    },
    invalidateCredentials: (what: string) => {
      delete kept[what];
    },
    redirectToAuthorization: (url: URL) => {
      kept["url"] = url;
    },
    saveCodeVerifier: (verifier: string) => {
      kept["verifier"] = verifier;
    },
    codeVerifier: () => kept["verifier"],
  };
  const visited = async (): Promise<URLSearchParams> => {
    const answer = await reach(String(kept["url"]), { redirect: "manual" });
    assert.equal(answer.status, 302);
    const to = new URL(String(answer.headers.get("location")));
    assert.equal(to.origin + to.pathname, CALLBACK);
    assert.equal(to.searchParams.get("state"), "st&te=1");
    return to.searchParams;
  };
  return { provider, visited, reach, kept };
}

const second = (mode: "auto" | "legacy") => (url: URL, from: ReturnType<typeof host>) => {
  const transport = new StreamableHTTPClientTransport(url, {
    authProvider: from.provider,
    fetch: from.reach,
  });
  const client = new Client(INFO, { versionNegotiation: { mode } });
  return {
    connect: () => client.connect(transport),
    finish: async () => transport.finishAuth(await from.visited()),
    call: async (name: string, args: Readonly<Record<string, unknown>> = {}) =>
      (await client.callTool({ name, arguments: args })) as ToolResult,
    close: () => client.close(),
  };
};

const first = (url: URL, from: ReturnType<typeof host>) => {
  const transport = new FirstTransport(url, {
    authProvider: from.provider,
    fetch: from.reach,
  });
  const client = new FirstClient(INFO);
  return {
    connect: () => client.connect(transport as Parameters<typeof client.connect>[0]),
    finish: async () => transport.finishAuth((await from.visited()).get("code") ?? ""),
    call: async (name: string, args: Readonly<Record<string, unknown>> = {}) =>
      (await client.callTool({ name, arguments: args })) as ToolResult,
    close: () => client.close(),
  };
};

export const HOSTS = {
  "v2 auto": second("auto"),
  "v2 legacy": second("legacy"),
  v1: first,
} as const;

export const VERIFIER = "v".repeat(43);

/** What a client registers that comes back. */
export const REFRESHING = { grant_types: ["authorization_code", "refresh_token"] };

/** One authorization by hand, of which a test changes what it likes. */
export const dance = ({ url }: Pick<TestService, "url">) => {
  const registerAs = async (metadata: object) => {
    const answer = await fetch(`${url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [CALLBACK], ...metadata }),
    });
    return { status: answer.status, body: await jsonOf(answer) };
  };
  const register = (...redirect_uris: readonly string[]) => registerAs({ redirect_uris });
  const authorize = async (changes: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams({
      response_type: "code",
      redirect_uri: CALLBACK,
      code_challenge: hash("sha256", VERIFIER, "base64url"),
      code_challenge_method: "S256",
      ...changes,
    });
    const answer = await fetch(`${url}/oauth/authorize?${query}`, { redirect: "manual" });
    const to = answer.headers.get("location");
    const text = await answer.text();
    const said = to === null ? JSON.parse(text) : Object.fromEntries(new URL(to).searchParams);
    return { status: answer.status, headers: answer.headers, to, said };
  };
  const send = async (
    path: string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const body = new URLSearchParams(form);
    const answer = await fetch(`${url}/oauth/${path}`, { method: "POST", body, headers });
    return { status: answer.status, headers: answer.headers, body: await jsonOf(answer) };
  };
  const exchange = (
    changes: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const grant_type = "authorization_code";
    const form = { grant_type, redirect_uri: CALLBACK, code_verifier: VERIFIER, ...changes };
    return send("token", form, headers);
  };
  const refresh = (changes: Readonly<Record<string, string>>) =>
    send("token", { grant_type: "refresh_token", ...changes });
  const revoke = (form: Readonly<Record<string, string>>) => send("revoke", form);
  /** One that a client has, from its registration to its tokens. */
  const signIn = async (
    metadata: object = REFRESHING,
    asked: Readonly<Record<string, string>> = {},
  ) => {
    const { client_id } = (await registerAs(metadata)).body;
    const { code = "" } = (await authorize({ client_id, ...asked })).said;
    const { status, body } = await exchange({ client_id, code });
    assert.equal(status, 200, JSON.stringify(body));
    return { client_id, ...body };
  };
  return { register, registerAs, authorize, exchange, refresh, revoke, signIn };
};

/** One call of a tool, with whatever stands in the header. */
export async function toolAt(
  { url }: Pick<TestService, "url">,
  token: string,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
) {
  const answer = await fetch(`${url}/api/v1/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  return { status: answer.status, headers: answer.headers, ...(await jsonOf(answer)) };
}
