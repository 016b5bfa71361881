import type { Operation } from "../../kernel/contract/operation.ts";

export const BASE = "/api/v1";

/** The whole path of an operation: `/api/v1/feed`, and `/api/v1` for the base itself. */
export const fullPath = ({ path }: Operation): string => (path === "/" ? BASE : BASE + path);

/** What HTTP calls an operation: `GET /api/v1/feed`. */
export const routeName = (operation: Operation): string =>
  `${operation.method} ${fullPath(operation)}`;
