import { readFileSync } from "node:fs";
import { join } from "node:path";
import root from "../package.json" with { type: "json" };
import { contracts } from "../src/domains/contracts.ts";
import { operationIdOf } from "../src/platform/kernel/contract/calls.ts";
import type { Operation } from "../src/platform/kernel/contract/operation.ts";

/** The one file; it is committed, so that a checkout needs no build. */
export const PYTHON_CLIENT = join(import.meta.dirname, "../clients/python/cairn.py");

const CORE = join(import.meta.dirname, "../clients/python/core.py");
const COLUMNS = 120;

/** Words of Python that are names of fields, too. */
const RESERVED = new Set(["from", "class", "import", "in", "is", "global", "pass", "with", "as"]);

const nameOf = (field: string): string => (RESERVED.has(field) ? `${field}_` : field);

/** `head(a, b)`, one part a line where it is too long. */
function listed(head: string, parts: readonly string[], tail: string, indent: string): string {
  const line = indent + head + parts.join(", ") + tail;
  if (line.length <= COLUMNS) return line;
  return `${indent + head}\n${parts.map((part) => `${indent}    ${part},\n`).join("")}${indent}${tail}`;
}

function wrapped(text: string, indent: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)}${lines.at(-1) === "" ? "" : " "}${word}`;
    if (indent.length + line.length <= COLUMNS - 6) lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines.join(`\n${indent}`);
}

/** The last part of an operation without a tool is written as in JavaScript. */
const snakeCase = (id: string): string =>
  id.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

function methodOf(id: string, { method, path, auth, summary, input }: Operation): string {
  const given = Object.entries(input.shape)
    .map(([name, field]) => nameOf(name) + (field._zod.optin === undefined ? "" : "=None"))
    .sort((a, b) => Number(a.includes("=")) - Number(b.includes("=")));
  const self = given.length > 0 ? ["self", "*"] : ["self"];
  const words = [
    `"${method}"`,
    `"${path}"`,
    "locals()",
    ...(auth === "none" ? ["auth=False"] : []),
  ];
  return [
    listed(`def ${snakeCase(id)}(`, [...self, ...given], "):", "    "),
    `        """${wrapped(`${summary} ${method} ${path}`, "        ")}"""`,
    `        return self._named(${words.join(", ")})`,
  ].join("\n");
}

/** `cairn.py`: the core, and a method for each operation of the contracts. */
export function pythonClient(): string {
  const methods = Object.entries(contracts).flatMap(([domain, contract]) =>
    Object.entries<Operation>({ ...contract }).map(([key, operation]) => {
      const id = operationIdOf({ ...operation, name: `${domain}.${key}` });
      return methodOf(id, operation);
    }),
  );
  const core = readFileSync(CORE, "utf8").replace("@VERSION@", root.version);
  return `# Folded from the contracts and core.py by \`npm run golden\`.
${core}

class Cairn(Core):
    """A network. Every method returns the success body as a dict, or raises CairnError."""

${methods.join("\n\n")}
`;
}
