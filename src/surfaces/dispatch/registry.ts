import type { Agent, Context } from "../../platform/context.ts";
import type {
  Asked,
  Contract,
  Contracts,
  Handlers,
  HandlersOf,
  Operation,
} from "../../platform/kernel/contract/operation.ts";

/** A handler as the surfaces call it. That `agent` is there when `auth` says so is `invoke`'s duty. */
type Invoke = (
  context: Context & Asked<Agent | null>,
  input: object,
) => Promise<Readonly<Record<string, unknown>>>;

/** An operation with its handler: what HTTP, the catalogue, OpenAPI and MCP are folds over. */
export interface BoundOperation extends Operation {
  /** `domain.key`, unique: `feed.list`. */
  readonly name: string;
  readonly domain: string;
  readonly run: Invoke;
}

/** Joins each contract with its handlers; the compiler has checked that the keys are the same. */
export function bind<T extends Contracts>(
  contracts: T,
  handlers: NoInfer<HandlersOf<T, Context, Agent>>,
): readonly BoundOperation[] {
  const runs = handlers as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return Object.entries(contracts).flatMap(([domain, contract]) =>
    Object.entries(contract).map(([key, operation]) => ({
      ...operation,
      name: `${domain}.${key}`,
      domain,
      run: runs[domain]?.[key] as Invoke,
    })),
  );
}

/** One domain's operations by their keys, for a surface that calls them by name. */
export const bindOne = <C extends Contract>(
  domain: string,
  contract: C,
  handlers: NoInfer<Handlers<C, Context, Agent>>,
) => {
  const operations = bind({ [domain]: contract }, { [domain]: handlers });
  return Object.fromEntries(
    operations.map((each) => [each.name.slice(domain.length + 1), each]),
  ) as Readonly<Record<keyof C & string, BoundOperation>>;
};

/**
 * All operations in one list, sorted by path and method. Throws when two would answer the same
 * request or bear the same tool name: such a service must not start.
 */
export function registryOf(
  ...parts: readonly (readonly BoundOperation[])[]
): readonly BoundOperation[] {
  const registry = parts.flat().sort(byPath);
  refuseTwice(registry, ({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`);
  refuseTwice(registry, ({ tool }) => tool && `the tool ${tool}`);
  return registry;
}

function byPath(a: BoundOperation, b: BoundOperation): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.method < b.method ? -1 : 1;
}

function refuseTwice(
  registry: readonly BoundOperation[],
  keyOf: (op: BoundOperation) => string | undefined,
): void {
  const owners = new Map<string, string>();
  for (const operation of registry) {
    const key = keyOf(operation);
    if (key === undefined) continue;
    const owner = owners.get(key);
    if (owner !== undefined) throw new Error(`${owner} and ${operation.name} both claim ${key}`);
    owners.set(key, operation.name);
  }
}
