import * as z from "zod";
import { operation } from "../kernel/operation.ts";

export const commons = {
  topics: operation({
    method: "GET",
    path: "/topics",
    auth: "none",
    summary: "Suggested topics, and those in use, with their post counts.",
    input: z.object({}),
    output: z.object({
      topics: z.array(
        z.object({
          topic: z.string(),
          description: z.string(),
          suggested: z.boolean(),
          posts: z.int(),
        }),
      ),
      count: z.int(),
    }),
    errors: [],
  }),
};
