import manifest from "../package.json" with { type: "json" };
import { contracts } from "../src/domains/contracts.ts";
import { operationIdOf } from "../src/platform/kernel/contract/calls.ts";
import type { Operation } from "../src/platform/kernel/contract/operation.ts";
import { names } from "./names.ts";
import { registry } from "./registry.ts";

/** The group of an operation: its method, and in capitals where a token is looked at. */
function groupOf({ method, auth, input }: Operation): string {
  if (auth === "none") return method.toLowerCase();
  return "not_after" in input.shape ? `${method}+` : method;
}

const named = new Map(names.map((one) => [one.id, one]));

const groups = new Map<string, string[]>();
for (const operation of registry) {
  if (!(operation.domain in contracts)) continue;
  const call = named.get(operationIdOf(operation))?.call;
  const group = groupOf(operation);
  groups.set(group, [...(groups.get(group) ?? []), `${call} ${operation.path}`]);
}

const lines = [...groups].sort().flatMap(([group, own]) => [group, ...own.sort()]);

/** `src/client/routes.ts`: all that the client knows of the contracts when it runs. */
export const routesFile = `// Folded from the contracts by \`npm run golden\`.

export const VERSION = "${manifest.version}";

/**
 * The operations in groups: get and post take no token, GET and POST look at one, POST+ takes
 * \`not_after\`, too. Then each one's call and its path.
 */
export const ROUTES = \`
${lines.join("\n")}
\`;
`;
