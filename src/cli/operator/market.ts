import * as z from "zod";
import { dismissDoubt, rescan } from "../../domains/market/payments/doubt-acts.ts";
import { recordPayment } from "../../domains/market/payments/received.ts";
import { listDue } from "../../domains/market/payouts/payables.ts";
import { returnUnmatched } from "../../domains/market/payouts/returns.ts";
import { sentAlready } from "../../domains/market/payouts/sent-already.ts";
import { recordSent } from "../../domains/market/payouts/settlements.ts";
import { warningOf } from "../../domains/operator/act.ts";
import { standing } from "../../domains/operator/acts/market.ts";
import { id, oneOf, onOrOff, reasonText, whole, words } from "../../domains/operator/values.ts";
import { addOwnAccount } from "../../domains/transfers/own-accounts.ts";
import { CURRENCIES, TXID_LENGTH_MAX } from "../../domains/transfers/rules.ts";
import { ACCOUNT_ROLES } from "../../domains/transfers/tables.ts";
import { dueText } from "./due-text.ts";
import { operatorCommand } from "./operator-command.ts";

const ADDRESS_LENGTH_MAX = 100;
const DUE_MAX = 1_000;

const order = id.describe("the order's id");
const txid = words(TXID_LENGTH_MAX).describe("the id of the transaction");
const reason = reasonText.describe("why; both parties and the public read it");

export const MARKET_COMMANDS = [
  operatorCommand({
    name: "account add",
    summary: "record a Nano account as the network's own: its transfers are no contributions",
    about:
      "The configured accounts, and those that an invoice ever named, are recorded at each start.\nAdd older project accounts, and wallets that you fund the others from. It is public, and for ever.",
    input: z.object({
      address: words(ADDRESS_LENGTH_MAX).describe("the account"),
      role: oneOf(...ACCOUNT_ROLES).describe("what it is or was for"),
    }),
    operands: ["address"],
    async run({ service: { context }, values: { address, role } }) {
      await addOwnAccount(context, { address, role });
      return { text: `${address} is an account of this network.`, facts: { address, role } };
    },
  }),

  operatorCommand({
    name: "market due",
    looks: ({ record }) => record !== true,
    summary: "list the payouts and refunds that are owed, and payments that name no order",
    about:
      "Look here before you send money: two operators who both send it have sent it twice. What the chain\nshows as sent already is marked; --record books it. Run it first after a backup was restored.",
    input: z.object({
      limit: whole("N", 1, DUE_MAX).optional().describe(`of each list at most; default ${DUE_MAX}`),
      page: whole("N", 1, 1_000_000)
        .default(1)
        .describe("the lines behind those of the pages before"),
      record: onOrOff.describe(
        "book what is marked as sent, each line as market payout and refund do",
      ),
    }),
    async run({ service: { context }, values: { limit = DUE_MAX, page, record } }) {
      const recorded = record ? await recordSent(context, limit) : [];
      const due = await listDue(context, limit, page);
      const chain = await sentAlready(context, limit, page);
      const text = dueText(due, chain, { recorded, page });
      const { more, disputes, ...lists } = due;
      const isMore = Object.values(more).some((count) => count > 0);
      return {
        text,
        facts: {
          ...(disputes.length > 0 && { disputes }),
          ...lists,
          ...(isMore && { more }),
          chain,
          ...(record && { recorded }),
        },
      };
    },
  }),

  operatorCommand({
    name: "market paid",
    summary: "record a payment that the watcher could not give to its order",
    about:
      "Of XNO the chain says how much it is. Any other currency is taken as all that is still missing:\nyou keep it and owe XNO.",
    confirms: () => warningOf("money"),
    input: z.object({
      order,
      txid,
      currency: oneOf(...CURRENCIES).describe("in what it was paid"),
      unproven: onOrOff.describe(
        "xno that market due has listed as doubtful, at the amount that nodes report",
      ),
      although_it_names: whole("ORDER", 1, Number.MAX_SAFE_INTEGER)
        .optional()
        .describe("the other order that the digits of the amount name"),
      reason: reasonText
        .optional()
        .describe(
          "why; needed with --unproven and --although-it-names, and for other currencies than xno",
        ),
    }),
    operands: ["order"],
    async run({ service, values: { order: order_id, unproven, ...paid } }) {
      const proof = unproven ? "unproven" : undefined;
      await recordPayment(service.context, { order_id, proof, ...paid });
      return standing(service.context, order_id, "The payment is recorded.");
    },
  }),

  operatorCommand({
    name: "market return",
    summary:
      "record that a payment without an order went back to its sender; the chain must show it",
    about:
      "market due lists these payments. Send the whole amount to the account that it came from, then record\nthat here. A payment that belongs to an order is given to it by market paid.",
    confirms: () => warningOf("money"),
    input: z.object({
      payment: words(TXID_LENGTH_MAX).describe("the hash of the payment"),
      txid,
      to: words(ADDRESS_LENGTH_MAX).optional().describe("another account than its sender's"),
      reason: reasonText.optional().describe("why; needed with --to"),
    }),
    operands: ["payment"],
    async run({ service: { context }, values }) {
      await returnUnmatched(context, values);
      return { text: "The return is recorded.", facts: { payment: values.payment.toUpperCase() } };
    },
  }),

  operatorCommand({
    name: "market doubt",
    summary: "end a doubt: the transfer is not to be asked about any more",
    about:
      "A doubtful transfer is one that nodes list and that none can prove; market due shows those older\nthan 10 minutes. The order that it names waits for it, 7 days at most.",
    input: z.object({ txid: words(TXID_LENGTH_MAX).describe("the hash of the transfer"), reason }),
    operands: ["txid"],
    async run({ service: { context }, values: { txid: hash, reason: why } }) {
      await dismissDoubt(context, { txid: hash, reason: why });
      return { text: "The doubt is dismissed.", facts: { txid: hash.toUpperCase() } };
    },
  }),

  operatorCommand({
    name: "market rescan",
    summary: "read the whole history of every escrow account again",
    about: "Booked transfers stay booked: each counts once.",
    input: z.object({}),
    async run({ service: { context } }) {
      await rescan(context);
      return { text: "The next round reads every escrow account from its first block.", facts: {} };
    },
  }),
];
