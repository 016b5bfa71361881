import * as z from "zod";
import { amountOut } from "../../platform/kernel/contract/amounts.ts";
import { cursorOf, ONE_POSITION } from "../../platform/kernel/contract/cursor.ts";
import { agentReference, limit, rowId } from "../../platform/kernel/contract/ids.ts";
import { domain, operation } from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import { line, text, written } from "../../platform/kernel/text.ts";
import { reward } from "../coin/contract.ts";
import { CURRENCIES, TXID_LENGTH_MAX } from "../transfers/rules.ts";
import { faultsOf, NOTE_LENGTH_MAX } from "./rules.ts";

const PROOFS = ["receive_signed", "send_chain", "node_reported"] as const;

const contribution = z.object({
  id: z.int(),
  currency: z.enum(CURRENCIES),
  txid: written.describe("For xno the hash of the sending block."),
  receive_hash: z.string().nullable(),
  amount: z
    .string()
    .nullable()
    .describe("Decimal text in the currency's own unit; null where the reporter named none."),
  amount_raw: z.string().nullable().describe("For xno, in raw."),
  usd: amountOut<"usd">().nullable().describe("Priced once, when it was recorded."),
  rate: z.string().nullable(),
  rate_source: z.string().nullable(),
  verification: z.object({
    state: z.enum(["checked", "declared"]),
    proof: z.enum(PROOFS).nullable(),
    checked_at: z.int().nullable(),
    text: z.string(),
  }),
  superseded_by: z
    .string()
    .nullable()
    .describe("The checked use that took a declared entry's place; it counts no more."),
  note: written.nullable(),
  agent: agentReference.describe("The agent that reported the transfer, not its sender."),
  created_at: z.int(),
  verified: z
    .boolean()
    .describe("True when `verification.state` is `checked`. It says nothing of the note."),
});

const ANONYMITY = ["pseudonymous", "untraceable", "none", "unknown"] as const;

/** A way to contribute, and where to send it (spec: Currency menu). */
export const acceptedCurrency = z.object({
  currency: z.enum(CURRENCIES),
  name: z.string(),
  anonymity: z.enum(ANONYMITY),
  anonymity_detail: z.string(),
  settlement: z.enum(["automatic", "manual"]),
  how_the_server_checks_it: z.string(),
  address: z.string().nullable(),
  address_note: z.string().nullable(),
});

/** Of contributions, newest first. */
export const contributionCursor = cursorOf("n", "id");

const operations = {
  contribute: operation({
    method: "POST",
    path: "/contribute",
    auth: "required",
    status: 201,
    tool: "contribution_record",
    hints: ["repeatable"],
    summary: "Record a transfer to the project address. A transaction counts once.",
    input: z
      .object({
        currency: z
          .enum(CURRENCIES)
          .describe("The currency that was sent; other is only declared."),
        txid: line(1, TXID_LENGTH_MAX).describe(
          "Its hash, 64 hex characters for xno; of the others any name of it.",
        ),
        amount: z
          .union([z.number(), z.string()])
          .optional()
          .describe("Of xno the chain says it; a declared one counts only with it."),
        note: text(1, NOTE_LENGTH_MAX).optional().describe("Public."),
        ...retryFields,
      })
      .superRefine((sent, issues) => {
        for (const { field, problem } of faultsOf(sent))
          issues.addIssue({ code: "custom", path: [field], message: problem });
      }),
    output: z.object({ id: z.int(), contribution, reward }),
    errors: [
      "currency_not_configured",
      "already_recorded",
      "transaction_not_found",
      "transaction_not_to_project",
      "transaction_unconfirmed",
      "chain_unavailable",
    ],
    example: { currency: "other", txid: "A parcel, 2027-01-15", amount: "1", note: "Two stones." },
  }),

  contributions: operation({
    method: "GET",
    path: "/contributions",
    auth: "none",
    timeless: true,
    tool: "contributions_list",
    summary: "The public list of contributions, newest first, each with how it was verified.",
    input: z
      .object({
        limit,
        before_id: rowId.optional().describe("Only older ones."),
        cursor: contributionCursor.cursor,
      })
      .refine(...ONE_POSITION),
    output: z.object({
      contributions: z.array(contribution),
      count: z.int(),
      more,
      next: contributionCursor.next,
      total: z.int().describe("Those that count: without the superseded ones."),
      totals: z.object({ verified_usd: amountOut<"usd">(), declared_usd: amountOut<"usd">() }),
    }),
    errors: [],
  }),

  getContribution: operation({
    method: "GET",
    path: "/contribution/{id}",
    auth: "none",
    timeless: true,
    item: "contribution_get",
    summary: "One contribution.",
    input: z.object({ id: rowId.describe("The id of a contribution.") }),
    output: z.object({ contribution }),
    errors: ["contribution_not_found"],
  }),

  currencies: operation({
    method: "GET",
    path: "/currencies",
    auth: "none",
    document: "currencies",
    summary: "Currencies for contributions, where to send each, and how it is checked.",
    input: z.object({}),
    output: z.object({
      network: z.enum(["live", "dev"]).nullable().describe("Null without a Nano node."),
      receiving_address: z.string().nullable().describe("The project's Nano account."),
      rate_source: z.string().describe("Where the reference of XNO comes from."),
      xno_usd_reference: z.number(),
      xmr_usd_reference: z.number(),
      accepted: z.array(acceptedCurrency),
      not_accepted: z.array(
        z.object({
          currency: z.enum(CURRENCIES).nullable().describe("Null for what is no currency here."),
          name: z.string(),
          why: z.string(),
          anonymity: z.enum(ANONYMITY),
        }),
      ),
      proofs: z
        .array(z.object({ proof: z.enum(PROOFS), text: z.string() }))
        .describe("The checks that a transfer passed, the strongest first."),
    }),
    errors: [],
  }),
};

export const treasury = domain({
  summary: "Contributions to the project address, and the currencies that it takes.",
  operations,
  shapes: { Contribution: contribution, AcceptedCurrency: acceptedCurrency },
});
