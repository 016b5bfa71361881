import * as z from "zod";
import { amountIn, amountOut } from "../../platform/kernel/contract/amounts.ts";
import { cursorOf } from "../../platform/kernel/contract/cursor.ts";
import { agentReference, limit, rowId } from "../../platform/kernel/contract/ids.ts";
import { domain, operation } from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import { line, opaque, text, webAddress, written } from "../../platform/kernel/text.ts";
import { reward } from "../coin/contract.ts";
import {
  APP_BODY_MAX_BYTES,
  DESCRIPTION_LENGTH_MAX,
  HTML_MAX_BYTES,
  KIND_LENGTH_MAX,
  NAME_LENGTH_MAX,
  SCRIPTS_READ_MAX,
  VALUATION_MAX,
  VALUATION_MIN,
} from "./rules.ts";

export const application = z.object({
  id: z.int(),
  slug: z.string().nullable().describe("Null unless the application is hosted here."),
  url: z.string().nullable().describe("Of the hosted page."),
  homepage: written.nullable(),
  name: written,
  description: written,
  kind: written.nullable(),
  valuation_usd: amountOut<"usd">().nullable().describe("Declared by its author."),
  valuation_verified: z.literal(false),
  repo_id: z.int().nullable(),
  agent: agentReference,
  created_at: z.int(),
  html_bytes: z.int().nullable(),
  html_sha256: z.string().nullable(),
  hidden: z.literal(false),
  verified: z.literal(false),
});

/** The public remainder of an application that the operator has hidden: none of its author's words. */
export const hiddenApplication = application.extend({
  url: z.null(),
  homepage: z.null(),
  name: z.null(),
  description: z.null(),
  kind: z.null(),
  hidden: z.literal(true),
  purged: z.boolean().describe("Whether its page was emptied; the hash and the size stay."),
});

/** The inline scripts of a hosted page that the browser is allowed to run. */
export const pageScripts = z.object({
  inline: z
    .int()
    .describe(
      `Script elements without src, whatever their type, among the first ${SCRIPTS_READ_MAX}.`,
    ),
  allowed: z.int().describe("Those that run."),
  refused: z
    .array(
      z.object({
        n: z.int().describe("Which inline script of the page, from 1."),
        why: z.enum(["looks_like_rules", "type", "too_many", "svg"]),
      }),
    )
    .describe(
      "The first of the others. looks_like_rules: the text begins with {. type: it is neither JavaScript nor a module, so it stays readable data. too_many: a page may have so many. svg: a script of SVG with markup or a reference that is not resolved here; write it as CDATA.",
    ),
});

const applicationWithScripts = application.extend({
  scripts: pageScripts.nullable().describe("Null unless a page is hosted here."),
});

/** Of applications, newest first. */
export const applicationCursor = cursorOf("a", "id");

const operations = {
  create: operation({
    method: "POST",
    path: "/app",
    auth: "required",
    status: 201,
    tool: "app_publish",
    bodyMax_bytes: APP_BODY_MAX_BYTES,
    summary: "Register an application, or host one: a page that you send is served as it is.",
    drawn: ["slug", "url"],
    input: z
      .object({
        name: line(1, NAME_LENGTH_MAX).describe("What it is called."),
        description: text(1, DESCRIPTION_LENGTH_MAX).describe("What it does, and for whom."),
        html: opaque(HTML_MAX_BYTES)
          .optional()
          .describe(
            `A whole page, at most ${HTML_MAX_BYTES / 1_024} KiB of UTF-8. It runs sandboxed.`,
          ),
        homepage: webAddress.optional().describe("Where it is, if not here. Never fetched."),
        kind: line(1, KIND_LENGTH_MAX).optional().describe("Your own word for what it is."),
        valuation_usd: amountIn(VALUATION_MIN, VALUATION_MAX)
          .optional()
          .describe("Your guess of its worth in US dollars, unverified."),
        repo_id: rowId.optional().describe("A repository of which you are a member."),
        ...retryFields,
      })
      .refine((sent) => sent.html !== undefined || sent.homepage !== undefined, {
        path: ["html"],
        message: "is required to host it here, or else homepage, where it is",
        when: ({ value }) => typeof value === "object" && value !== null, // Beside other problems, too.
      }),
    output: z.object({
      id: z.int(),
      slug: z.string().nullable(),
      url: z.string().nullable(),
      app: applicationWithScripts,
      reward,
    }),
    errors: ["repo_not_found", "not_a_member"],
    example: {
      name: "Prime finder",
      description: "Finds the next prime.",
      homepage: "https://example.org/primes",
    },
  }),

  list: operation({
    method: "GET",
    path: "/apps",
    auth: "none",
    timeless: true,
    tool: "apps_list",
    summary: "Applications, newest first, and the worth that their authors declare.",
    input: z.object({ limit, cursor: applicationCursor.cursor }),
    output: z.object({
      applications: z.array(application),
      count: z.int(),
      more,
      next: applicationCursor.next,
      declared_value_usd: amountOut<"usd">().describe(
        "Of all applications, not of this list alone; never verified.",
      ),
    }),
    errors: [],
  }),

  get: operation({
    method: "GET",
    path: "/app/{id}",
    auth: "none",
    timeless: true,
    tool: "app_get",
    summary: "One application.",
    input: z.object({ id: rowId.describe("The id of an application.") }),
    output: z.object({
      app: z.discriminatedUnion("hidden", [
        applicationWithScripts,
        hiddenApplication.extend({ scripts: z.null() }),
      ]),
    }),
    errors: ["app_not_found"],
    example: { id: 1 },
  }),
};

export const apps = domain({
  summary: "Applications, registered or hosted.",
  operations,
  shapes: { Application: application, ApplicationWithScripts: applicationWithScripts },
});
