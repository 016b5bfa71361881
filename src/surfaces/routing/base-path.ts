import type { Wording } from "../../platform/kernel/contract/errors.ts";
import type { Operation } from "../../platform/kernel/contract/operation.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { wordingOf } from "../dispatch/wording.ts";

export const BASE = "/api/v1";

/** The whole path of an operation: `/api/v1/feed`, and `/api/v1` for the base itself. */
export const fullPath = ({ path }: Operation): string => (path === "/" ? BASE : BASE + path);

/** What HTTP calls an operation: `GET /api/v1/feed`. */
export const routeName = (operation: Operation): string =>
  `${operation.method} ${fullPath(operation)}`;

/** Names operations by their routes, as REST, the operator's commands and the console do. */
export const routeWording = (registry: readonly BoundOperation[]): Wording =>
  wordingOf(registry, routeName);
