import { parseUsd } from "../../../domains/transfers/rules.ts";
import type { PublicKey } from "../../../platform/kernel/nano.ts";
import { parseRaw } from "../../../platform/kernel/nano.ts";
import { nanoAccount, nodeUrls } from "../chain-settings.ts";
import { type Key, key, printable } from "../setting-key.ts";
import { matching, oneOf, PORT, whole } from "../setting-texts.ts";

const USD = "US dollars as decimal text, above 0 and below 1000000, at most 8 decimals";

/** The US dollars of one unit, in hundred-millionths. */
const usdReference = (variable: Key<bigint | null>["variable"], meaning: string) =>
  key<bigint | null>({
    variable,
    meaning,
    fallback: null,
    allowed: USD,
    parse: (text) => parseUsd(text) ?? undefined,
  });

const nanoAddress = (variable: Key<PublicKey | null>["variable"], meaning: string) =>
  key<PublicKey | null>({
    variable,
    meaning,
    fallback: null,
    allowed: "a Nano account (nano_ and 60 characters) with a right checksum",
    parse: nanoAccount,
  });

/** Money: Nano, the market, prices. In the order of the operators' guide. */
export const MONEY_KEYS = {
  nanoRpcUrls: key<readonly string[]>({
    variable: "CAIRN_NANO_RPC_URLS",
    meaning:
      "The Nano nodes that are asked about transfers: up to 8 URLs, parted by commas. Without one, XNO is not accepted. [Nano](nano.md)",
    fallback: [],
    allowed: "up to 8 different http or https URLs of Nano nodes, parted by commas",
    parse: nodeUrls,
    isSecret: true,
  }),
  nanoRpcQuorum: key({
    variable: "CAIRN_NANO_RPC_QUORUM",
    meaning: "How many of them must say that a transfer is confirmed",
    fallback: 1,
    allowed: "1 to 8, at most as many as there are URLs",
    parse: whole(1, 8),
  }),
  nanoRpcAuth: key<string | null>({
    variable: "CAIRN_NANO_RPC_AUTH",
    meaning: "Sent to each of them as the header `Authorization`; never shown or logged",
    fallback: null,
    allowed: "the value of a header: 1 to 500 printable ASCII characters",
    parse: matching(/^[\x21-\x7e](?:[\x20-\x7e]{0,498}[\x21-\x7e])?$/),
    isSecret: true,
  }),
  nanoAddress: nanoAddress(
    "CAIRN_NANO_ADDRESS",
    "The project's Nano account: where contributions go",
  ),
  escrowNanoAddress: nanoAddress(
    "CAIRN_ESCROW_NANO_ADDRESS",
    "The Nano account that orders of the market are paid to; another one than the project's",
  ),
  devChain: key({
    variable: "CAIRN_DEV_CHAIN",
    meaning:
      "`on` begins a chain of play money instead of the live network. The flag takes no value. [The dev chain](nano.md#the-dev-chain)",
    fallback: "off" as "on" | "off",
    allowed: "on or off",
    parse: oneOf("on", "off"),
    isSwitch: true,
  }),
  devChainPort: key({
    variable: "CAIRN_DEV_CHAIN_PORT",
    meaning: "Its port on the loopback address, 0 to 65535. 0 takes any free one",
    fallback: 17_076,
    allowed: PORT,
    parse: whole(0, 65_535),
  }),
  marketPayWithin_h: key({
    variable: "CAIRN_MARKET_PAY_WITHIN_H",
    meaning:
      "Hours, 1 to 720, within which you mean to send payouts and refunds: an aim that `GET /market` shows, and from when on orders are `overdue` and alarms are raised",
    fallback: 72,
    allowed: "1 to 720 hours",
    parse: whole(1, 720),
  }),
  xmrAddress: printable(
    "CAIRN_XMR_ADDRESS",
    "Where contributions in Monero go, as `GET /currencies` shows it. Nothing is looked up there: they are recorded as declared",
  ),
  btcAddress: printable("CAIRN_BTC_ADDRESS", "The same for Bitcoin"),
  otherAddressNote: key<string | null>({
    variable: "CAIRN_OTHER_ADDRESS_NOTE",
    meaning: "One line about sending anything else: where to, or whom to ask",
    fallback: null,
    allowed: "one line of 1 to 500 characters",
    parse: matching(/^[^\p{Cc}\u2028\u2029]{1,500}$/u),
  }),
  rateSource: key({
    variable: "CAIRN_RATE_SOURCE",
    meaning:
      "`static` takes the three references below. `coingecko` asks api.coingecko.com every 10 minutes for the prices of XNO and XMR, within [bounds](nano.md#rates)",
    fallback: "static" as "static" | "coingecko",
    allowed: "static or coingecko",
    parse: oneOf("static", "coingecko"),
  }),
  xnoUsd: usdReference(
    "CAIRN_XNO_USD",
    "US dollars for 1 XNO: above 0, below 1000000, at most 8 decimals. On a live network without it and without a source, neither contributions in XNO nor orders are taken. On the dev chain 0.80 unless set, a round figure and no market price",
  ),
  xmrUsd: usdReference("CAIRN_XMR_USD", "The same for 1 XMR. Unless set 300"),
  btcUsd: usdReference(
    "CAIRN_BTC_USD",
    "The same for 1 BTC. Unless set, contributions in Bitcoin have no value in US dollars",
  ),
  xnoMinReward_raw: key({
    variable: "CAIRN_XNO_MIN_REWARD_RAW",
    meaning:
      "The smallest contribution that earns its reporter a reward, in raw (1 XNO is 10^30). 0 lets dust earn, up to the daily limit",
    fallback: 0n,
    allowed: "raw, 0 to 2^128 - 1",
    parse: (text) => parseRaw(text) ?? undefined,
  }),
} as const;
