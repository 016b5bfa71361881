import type { NamedRoute } from "../platform/kernel/contract/call-table.ts";
import { ROUTES } from "./routes.ts";

/** An operation as the client knows it. */
export interface ClientRoute extends NamedRoute {
  /** A write that takes `not_after`, so that it can be looked for and sent again. */
  readonly isTimed: boolean;
}

let group = "";

/** Every operation of the contracts. */
export const routes: readonly ClientRoute[] = ROUTES.split("\n").flatMap((line) => {
  const [name = "", path] = line.split(" ");
  if (path === undefined) {
    group = name;
    return [];
  }
  return {
    name,
    method: /get/i.test(group) ? "GET" : "POST",
    auth: /[a-z]/.test(group) ? "none" : "required",
    isTimed: group === "POST+",
    path,
  };
});
