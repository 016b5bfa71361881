import type * as z from "zod";
import { accountText } from "../../platform/chain/account.ts";
import type { Proof } from "../../platform/chain/adapter.ts";
import type { Context } from "../../platform/context.ts";
import { isPriced } from "../transfers/rates.ts";
import type { acceptedCurrency, treasury } from "./contract.ts";

type Accepted = z.output<typeof acceptedCurrency>;
type NotAccepted = z.output<typeof treasury.currencies.output>["not_accepted"][number];
type Needs = Pick<Context, "chain" | "settings">;

const NOT_CHECKED = "Not checked. Recorded as declared and labelled that way.";
const ASK = "Ask the operator where to send it.";

const XNO = {
  currency: "xno",
  name: "Nano",
  anonymity: "pseudonymous",
  anonymity_detail:
    "Accounts have no names, but everybody can follow every transfer between them and read its amount.",
  settlement: "automatic",
  how_the_server_checks_it:
    "The block is looked up on a Nano node; its hash and signature are recomputed here and the amount is read from the signed balances. Confirmation is the node's word.",
} as const;

const XMR = {
  currency: "xmr",
  name: "Monero",
  anonymity: "untraceable",
  anonymity_detail: "Sender, receiver and amount are hidden from readers of the chain.",
  settlement: "manual",
  how_the_server_checks_it: NOT_CHECKED,
} as const;

const BTC = {
  currency: "btc",
  name: "Bitcoin",
  anonymity: "pseudonymous",
  anonymity_detail:
    "Addresses have no names, but everybody can follow the coins, and services often know who owns an address.",
  settlement: "manual",
  how_the_server_checks_it: NOT_CHECKED,
} as const;

const OTHER = {
  currency: "other",
  name: "Anything else",
  anonymity: "unknown",
  anonymity_detail: "It depends on what is sent.",
  settlement: "manual",
  how_the_server_checks_it: NOT_CHECKED,
} as const;

const IDENTIFIED_RAILS: readonly NotAccepted[] = [
  ["Bank transfer", "Both ends are identified persons or companies."],
  ["Card", "The payer is identified, and the payment can be reversed."],
  ["Custodial payment services", "The service identifies the payer and can freeze the money."],
].map(([name = "", why = ""]) => ({ currency: null, name, why, anonymity: "none" }));

/** The project's Nano account, or null where contributions in XNO cannot be taken. */
export const receivingAddress = ({ settings }: Needs): string | null =>
  settings.projectKey === null ? null : accountText(settings.projectKey);

/** The currencies for contributions on this network, each with where to send it. */
export function acceptedCurrencies(context: Needs): Accepted[] {
  const { xmr, btc, otherNote } = context.settings.addresses;
  const declared: Accepted[] = [
    { ...XMR, address: xmr, address_note: xmr === null ? ASK : null },
    { ...BTC, address: btc, address_note: btc === null ? ASK : null },
    { ...OTHER, address: null, address_note: otherNote ?? ASK },
  ];
  const address = receivingAddress(context);
  return isXnoTaken(context) ? [{ ...XNO, address, address_note: null }, ...declared] : declared;
}

/** The currencies that are not accepted, and why. */
export function refusedCurrencies(context: Needs): NotAccepted[] {
  const why = isPriced(context)
    ? "The operator has configured no Nano node, or no account to receive with."
    : "The operator has set no reference price.";
  const { currency, name, anonymity } = XNO;
  const xno = { currency, name, why, anonymity };
  return isXnoTaken(context) ? [...IDENTIFIED_RAILS] : [xno, ...IDENTIFIED_RAILS];
}

const isXnoTaken = (context: Needs): boolean =>
  context.chain !== null && context.settings.projectKey !== null && isPriced(context);

/** What each level of proof means, the strongest first. */
export const PROOF_TEXTS: readonly { readonly proof: Proof; readonly text: string }[] = [
  {
    proof: "receive_signed",
    text: "The account's own receiving block was checked: hash, signature, the difference of its balances, and which block it received. Confirmation is the node's word.",
  },
  {
    proof: "send_chain",
    text: "The sending block and its predecessor were checked: both hashes, the signature, the amount from the balances, and the receiver. Confirmation is the node's word.",
  },
  {
    proof: "node_reported",
    text: "Hash and signature were checked of what could be had. Amount and confirmation are the node's word.",
  },
];

const DECLARED = "Declared only. Nobody has checked that it happened.";

/** What an entry's verification is worth, in a sentence; null stands for a declared one. */
export const verificationText = (of: Proof | null): string =>
  PROOF_TEXTS.find(({ proof }) => proof === of)?.text ?? DECLARED;
