import { Agent, request } from "node:http";
import fc from "fast-check";
import { textOf } from "./edges.ts";
import type { Caller } from "./fuzz-service.ts";
import { anything, records, type Words } from "./fuzz-values.ts";
import type { Documented } from "./openapi-document.ts";

export interface Asked {
  readonly operation: Documented;
  readonly method: string;
  readonly caller: Caller;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

const callersOf = ({ path }: Documented): fc.Arbitrary<Caller> => {
  // Of two rotations at once both succeed, and nobody can tell which token works in the end.
  if (path.endsWith("/token/rotate")) return fc.constantFrom("newcomer", "nobody", "stranger");
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("ada" as const, "bob" as const, "newcomer" as const) },
    { weight: 1, arbitrary: fc.constantFrom("nobody" as const, "stranger" as const) },
  );
};

/** Its own method nearly always; PUT and PATCH are methods of nothing. */
const methodsOf = ({ method }: Documented) =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constant(method) },
    { weight: 1, arbitrary: fc.constantFrom("HEAD", "OPTIONS", "PUT", "PATCH") },
  );

/** Requests that fit the document, and requests of which one field is anything. */
export function requestsOf(operations: readonly Documented[], words: Words): fc.Arbitrary<Asked> {
  return fc.oneof(
    ...operations.map((operation) => {
      const { input, example } = operation;
      const names = Object.keys({ ...input.properties, ...example });
      const field = fc.tuple(fc.constantFrom("nobody", ...names), anything);
      const isWhole = input.required?.every((name) => name in example);
      return fc
        .record({
          method: methodsOf(operation),
          caller: callersOf(operation),
          fitting: fc.oneof(
            { weight: isWhole ? 1 : 0, arbitrary: fc.constant(example) },
            { weight: 2, arbitrary: records(input, example, words) },
          ),
          broken: fc.oneof(
            { weight: 2, arbitrary: fc.constant(null) },
            { weight: 1, arbitrary: field },
          ),
        })
        .map(({ method, caller, fitting, broken }) => {
          const fields = broken === null ? fitting : { ...fitting, [broken[0]]: broken[1] };
          // Waiting for what comes would only make the test slow.
          const isWaiting = Number(fields["wait"]) > 0;
          return { operation, method, caller, fields: isWaiting ? { ...fields, wait: 0 } : fields };
        });
    }),
  );
}

const CONNECTIONS = new Agent({ keepAlive: true });

/** Sends a request as it stands: nothing corrects its path on the way. */
export function sendTo(url: string, asked: Asked, token: string | undefined): Promise<Answered> {
  const { operation, method } = asked;
  const { path, fields } = withPath(operation.path, asked.fields);
  const isPost = operation.method === "POST";
  const body = isPost && method !== "HEAD" && method !== "OPTIONS" ? JSON.stringify(fields) : "";
  const headers: Record<string, string | number> = { "content-length": Buffer.byteLength(body) };
  if (isPost) headers["content-type"] = "application/json";
  if (token !== undefined) headers["authorization"] = `Bearer ${token}`;
  const target = isPost ? path : `${path}${queryOf(fields)}`;
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/`, { agent: CONNECTIONS, method, path: target, headers });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => void parts.push(part));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(parts).toString("utf8"),
        }),
      );
    });
    sent.end(body);
  });
}

/** Moves the path's parameter from the fields into the path; without a text there were no such path. */
function withPath(template: string, all: Asked["fields"]) {
  const fields = { ...all };
  const path = template.replace(/\{(\w+)\}/, (_, name) => {
    const value = fields[name];
    delete fields[name];
    return encodeURIComponent(value === undefined ? "-" : textOf(value) || "-");
  });
  return { path, fields };
}

function queryOf(fields: Asked["fields"]): string {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(said.map(([name, value]) => [name, textOf(value)]));
  return query.size === 0 ? "" : `?${query}`;
}
