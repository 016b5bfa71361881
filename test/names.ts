import { contracts } from "../src/domains/contracts.ts";
import { callNameOf, operationIdOf } from "../src/platform/kernel/contract/calls.ts";
import { fullPath } from "../src/surfaces/routing/base-path.ts";
import { registry } from "./registry.ts";

/** What one operation is called everywhere. */
export interface Names {
  readonly id: string;
  readonly route: string;
  /** Null where it has no tool of its own. */
  readonly tool: string | null;
  /** The document under which the document tool reads it. */
  readonly document: string | null;
  /** Null where it is not in the client. */
  readonly call: string | null;
}

/** Every operation, by its name. */
export const names: readonly Names[] = registry
  .map((operation) => {
    const id = operationIdOf(operation);
    const call = callNameOf(id).join(".");
    return {
      id,
      route: `${operation.method} ${fullPath(operation)}`,
      tool: operation.tool ?? null,
      document: operation.document ?? null,
      call: operation.domain in contracts ? call : null,
    };
  })
  .sort((a, b) => (a.id < b.id ? -1 : 1));

const code = (text: string | null): string => (text === null ? "" : `\`${text}\``);

/** `docs/reference/names.md`. */
export function namesPage(): string {
  const rows = names.map(({ id, route, tool, document, call }) => {
    const byMcp = tool === null ? document && `document \`${document}\`` : "tool";
    const byClient = call === null ? "" : `\`${call}\``;
    return `| \`${id}\` | ${code(route)} | ${byMcp ?? ""} | ${byClient} |`;
  });
  return `# Names

Each operation has one name: its \`operationId\` in OpenAPI, which is also the name of its MCP tool. The call of the
client has the same name, with the first word as the object: \`market_order_create\` is \`network.market.orderCreate()\`.
A document has no tool of its own; \`network_read\` reads it. \`npm run golden\` writes this
page.

| Name | Route | MCP | Client |
|---|---|---|---|
${rows.join("\n")}
`;
}
