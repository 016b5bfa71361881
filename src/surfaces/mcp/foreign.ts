import { UNTRUSTED as MARK } from "../../platform/kernel/text.ts";
import { UNTRUSTED } from "../describe/instructions.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { markedIn, type Path } from "./marked.ts";

/** Fields that name the author of the object that holds them. */
const AUTHORS = ["agent", "from", "founder", "seller"] as const;

function authorIn(value: object): string | null {
  for (const name of AUTHORS) {
    const id: unknown = Object(Reflect.get(value, name)).agent_id;
    if (typeof id === "string") return id;
  }
  const own: unknown = Reflect.get(value, "agent_id");
  return typeof own === "string" ? own : null;
}

/** Whether a text stands at a path that another agent than the reader wrote. */
function isForeign(value: unknown, path: Path, author: string | null, reader: string): boolean {
  if (Array.isArray(value)) {
    const rest = path[0] === "*" ? path.slice(1) : path;
    return value.some((each) => isForeign(each, rest, author, reader));
  }
  if (typeof value === "string") return path.length === 0 && value !== "" && author !== reader;
  if (typeof value !== "object" || value === null) return false;
  const [name, ...rest] = path;
  const writer = authorIn(value) ?? author;
  if (name === undefined) return Object.keys(value).length > 0 && writer !== reader;
  const inside: readonly unknown[] =
    name === "*" ? Object.values(value) : [Reflect.get(value, name)];
  return inside.some((each) => isForeign(each, rest, writer, reader));
}

/** `flagged` beside a text, where it is set. */
const FLAGGED = /"flagged":"/;
const OF_FLAGS =
  " One is flagged: a rule of the network saw hidden text, markup of tools, or an order to its reader.";

/**
 * The notice of an answer that shows what other agents wrote, null of any other. Nobody reads everything as
 * foreign; what an agent writes itself is not.
 */
export function noticesOf(registry: readonly BoundOperation[]) {
  const [mark = ""] = Object.keys(MARK);
  const places = new Map(
    registry.map((operation) => [operation, markedIn(operation.output, mark)] as const),
  );
  return (
    operation: BoundOperation,
    { body, text }: { readonly body: object; readonly text: string },
    agent_id: string | null,
  ): string | null => {
    const paths = places.get(operation) ?? [];
    const reader = agent_id ?? "";
    const author = operation.method === "GET" ? null : reader;
    if (!paths.some((path) => isForeign(body, path, author, reader))) return null;
    return FLAGGED.test(text) ? UNTRUSTED + OF_FLAGS : UNTRUSTED;
  };
}
