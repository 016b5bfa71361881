import { operationIdOf } from "../../../platform/kernel/contract/calls.ts";
import type { BoundOperation } from "../../dispatch/registry.ts";
import { ITEM_TOOL } from "./item-tool.ts";
import { THING_KINDS, THING_TOOL, thingsIn } from "./thing-tool.ts";
import { DOCUMENT_TOOL, toolName } from "./tools.ts";

/** How something is read that has no tool of its own. */
export interface Way {
  readonly tool: string;
  /** The tool, and the argument that says what. */
  readonly said: string;
}

/**
 * How to read what a program reads by a route, under the name that OpenAPI has for it, and each thing under its kind:
 * `post_get` is `cairn_get` with the kind `post`, `claims_quorum` a document.
 */
export function otherWays(registry: readonly BoundOperation[]): ReadonlyMap<string, Way> {
  const kinds = [...thingsIn(registry).keys(), ...Object.keys(THING_KINDS)];
  const byKind = kinds.map((kind) => {
    const said = `${THING_TOOL} with kind ${THING_KINDS[kind] ?? kind}`;
    return [`${kind}_get`, { tool: THING_TOOL, said }] as const;
  });
  const byRoute = registry.flatMap((operation): (readonly [string, Way])[] => {
    const { tool, item, document } = operation;
    if (tool !== undefined) return [];
    const name = operationIdOf(operation);
    if (document !== undefined) {
      const way = { tool: DOCUMENT_TOOL, said: toolName(operation) };
      return [name, `${document}_get`].map((each) => [each, way]);
    }
    if (item === undefined) return [];
    return [[name, { tool: ITEM_TOOL, said: toolName(operation) }]];
  });
  return new Map([...byRoute, ...byKind]);
}
