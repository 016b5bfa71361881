/** What a call has to know of its operation. */
export interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly auth: "none" | "optional" | "required";
}

/** One of the network's. */
export interface NamedRoute extends Route {
  /** Such as `post.create`. */
  readonly name: string;
}

/** One function for each route, all of them through `send`. */
export function callsOver<R extends NamedRoute, Options, Made>(
  routes: readonly R[],
  send: (
    route: R,
    input: Readonly<Record<string, unknown>>,
    options: Options | undefined,
  ) => Promise<unknown>,
): Made {
  const calls: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const call = (input: Readonly<Record<string, unknown>> = {}, options?: Options) =>
      send(route, input, options);
    const [noun = "", verb = ""] = route.name.split(".");
    calls[noun] = { ...calls[noun], [verb]: call };
  }
  // The wire is typed by the contract and not parsed again, so that added fields pass through.
  return calls as Made;
}

/** An input that was put together, for a call whose own type does not matter. */
export const inputOf = (fields: object): never => fields as never;
