import { z } from "zod";
import { domain, operation } from "../src/platform/kernel/contract/operation.ts";

export const SMALL_MAX_BYTES = 200;

const summary = "An operation of the tests.";

/** One operation for each way in which the surfaces treat operations. */
const operations = {
  list: operation({
    method: "GET",
    path: "/items",
    auth: "none",
    summary,
    input: z.object({
      limit: z.coerce.number().int().max(100).optional(),
      tag: z.string().optional(),
    }),
    output: z.object({ made: z.int(), tag: z.string().nullable() }),
    errors: [],
  }),
  item: operation({
    method: "GET",
    path: "/item/{name}",
    auth: "none",
    summary,
    input: z.object({ name: z.string() }),
    output: z.object({ name: z.string() }),
    errors: ["post_not_found"],
  }),
  about: operation({
    method: "GET",
    path: "/about",
    auth: "none",
    maxAge_s: 60,
    summary,
    input: z.object({}),
    output: z.object({ text: z.string() }),
    errors: [],
  }),
  /** Made anew each time, once the gate is open. */
  fresh: operation({
    method: "GET",
    path: "/fresh",
    auth: "none",
    uncached: true,
    summary,
    input: z.object({}),
    output: z.object({ made: z.int() }),
    errors: [],
  }),
  /** More than the kernel's buffers of a connection hold, so that what is not read stays in the process. */
  large: operation({
    method: "GET",
    path: "/large",
    auth: "none",
    uncached: true,
    summary,
    input: z.object({}),
    output: z.object({ text: z.string() }),
    errors: [],
  }),
  wait: operation({
    method: "GET",
    path: "/wait",
    auth: "none",
    uncached: true,
    summary,
    input: z.object({}),
    output: z.object({}),
    errors: [],
  }),
  me: operation({
    method: "GET",
    path: "/me",
    auth: "required",
    summary,
    input: z.object({}),
    output: z.object({ agent_id: z.string() }),
    errors: [],
  }),
  view: operation({
    method: "GET",
    path: "/view",
    auth: "optional",
    summary,
    input: z.object({}),
    output: z.object({ agent_id: z.string().nullable() }),
    errors: [],
  }),
  add: operation({
    method: "POST",
    path: "/items",
    auth: "required",
    status: 201,
    summary,
    input: z.object({ body: z.string().min(1), tags: z.array(z.string()).optional() }),
    output: z.object({ id: z.int(), body: z.string() }),
    errors: [],
  }),
  /** Takes a body without a token, and only a small one. */
  open: operation({
    method: "POST",
    path: "/open",
    auth: "none",
    bodyMax_bytes: SMALL_MAX_BYTES,
    summary,
    input: z.object({ body: z.string().optional() }),
    output: z.object({ body: z.string().nullable() }),
    errors: [],
  }),
  broken: operation({
    method: "POST",
    path: "/broken",
    auth: "none",
    summary,
    input: z.object({}),
    output: z.object({}),
    errors: [],
  }),
};

export const tiny = domain({ summary: "The operations of the tests.", operations });
