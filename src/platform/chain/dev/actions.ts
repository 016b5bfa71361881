import * as z from "zod";
import { type PublicKey, parseRaw, publicKeyOf } from "../../kernel/nano.ts";
import { accountKey, accountText } from "../account.ts";
import { signedBlock } from "../answers.ts";
import { type DevAccount, devAccountNamed, devAccountOf, devAccounts } from "./keys.ts";
import { BlockRefused, type DevBlock, type DevLedger, type SignedState } from "./ledger.ts";
import { blockJson, historyJson, orEmpty } from "./shapes.ts";
import type { DevWallet } from "./wallet.ts";

/** What a call is answered from. */
export interface DevParts {
  readonly ledger: DevLedger;
  readonly wallet: DevWallet;
  readonly save: (block: SignedState) => void;
  /** The hash of the first block. */
  readonly genesis: string;
}

const text = z.string().default("");
/** A call: all members are texts, but lists of hashes and a block as JSON. */
export const devCall = z.object({
  action: text,
  hash: text,
  hashes: z.array(z.string()).default([]),
  account: text,
  count: text,
  offset: text,
  head: text,
  threshold: text,
  source: text,
  sorting: text,
  raw: text,
  json_block: text,
  include_not_found: text,
  include_only_confirmed: text,
  block: z.unknown().optional(),
  from: text,
  to: text,
  amount_raw: text,
});
type Call = z.output<typeof devCall>;
type Action = (parts: DevParts, call: Call) => object;

const isTrue = (flag: string): boolean => flag === "true" || flag === "1";
const isFalse = (flag: string): boolean => flag === "false" || flag === "0";

function demand<T>(value: T | null | undefined, error: string): T {
  if (value === null || value === undefined) throw new BlockRefused(error);
  return value;
}

const hashIn = (hash: string) => demand(publicKeyOf(hash), "Invalid block hash");
const accountIn = ({ account }: Call) => demand(accountKey(account), "Bad account number");
const numberIn = (digits: string, fallback: number) => {
  if (digits === "") return fallback;
  return demand(/^[0-9]{1,9}$/.test(digits) ? Number(digits) : null, "Invalid count limit");
};

/** Only a call with `json_block` gets a block as JSON; else it is the text of it. */
const asAsked = ({ json_block }: Call, row: ReturnType<typeof blockJson>) =>
  isTrue(json_block) ? row : { ...row, contents: JSON.stringify(row.contents, null, 4) };

function blocksInfo({ ledger }: DevParts, call: Call): object {
  const asked = call.hashes.map(hashIn);
  const known = asked.flatMap((hash) => ledger.block(hash) ?? []);
  const unknown = asked.filter((hash) => ledger.block(hash) === undefined);
  if (unknown.length > 0 && !isTrue(call.include_not_found))
    throw new BlockRefused("Block not found");
  const rows = known.map((entry) => [entry.hash, asAsked(call, blockJson(ledger, entry))]);
  const blocks = orEmpty(Object.fromEntries(rows));
  return isTrue(call.include_not_found)
    ? { blocks, blocks_not_found: orEmpty(unknown) }
    : { blocks };
}

function blockInfo({ ledger }: DevParts, call: Call): object {
  const entry = demand(ledger.block(hashIn(call.hash)), "Block not found");
  return asAsked(call, blockJson(ledger, entry));
}

/** Three shapes, as nodes have them: hashes alone, amounts by hash, amounts and senders by hash. */
function receivable({ ledger }: DevParts, call: Call): object {
  const account = accountIn(call);
  const threshold = demand(parseRaw(call.threshold || "0"), "Bad amount number");
  const offset = numberIn(call.offset, 0);
  const count = numberIn(call.count, Number.MAX_SAFE_INTEGER);
  const all = ledger
    .receivable(account)
    .filter(({ hash }) => isFalse(call.include_only_confirmed) || ledger.isConfirmed(hash));
  const isEnough = ({ amountRaw }: DevBlock) => amountRaw >= threshold;
  const page = isTrue(call.sorting)
    ? all
        .filter(isEnough)
        .sort(byAmount)
        .slice(offset, offset + count)
    : all.slice(offset).filter(isEnough).slice(0, count); // The offset counts what is below, too.
  if (isTrue(call.source)) {
    const row = ({ amountRaw, block }: DevBlock) => ({
      amount: String(amountRaw),
      source: accountText(block.account),
    });
    return { blocks: orEmpty(Object.fromEntries(page.map((entry) => [entry.hash, row(entry)]))) };
  }
  if (threshold > 0n || isTrue(call.sorting)) {
    const rows = page.map(({ hash, amountRaw }) => [hash, String(amountRaw)]);
    return { blocks: orEmpty(Object.fromEntries(rows)) };
  }
  return { blocks: orEmpty(page.map(({ hash }) => hash)) };
}

const byAmount = (a: DevBlock, b: DevBlock): number =>
  a.amountRaw === b.amountRaw ? 0 : a.amountRaw > b.amountRaw ? -1 : 1;

function receivableExists({ ledger }: DevParts, call: Call): object {
  const { hash, block, subtype } = demand(ledger.block(hashIn(call.hash)), "Block not found");
  const target = publicKeyOf(block.link);
  const isWaiting =
    subtype === "send" &&
    target !== null &&
    ledger.receiveOf(hash) === undefined &&
    (isFalse(call.include_only_confirmed) || ledger.isConfirmed(hash));
  return { exists: isWaiting ? "1" : "0" };
}

/** The newest first, from `head` on. Without `raw` there are no changes, and few members. */
function accountHistory({ ledger }: DevParts, call: Call): object {
  const chain = ledger.chainOf(accountIn(call));
  const count = demand(call.count === "" ? null : numberIn(call.count, 0), "Invalid count limit");
  const from =
    call.head === ""
      ? chain.length
      : demand(ledger.block(hashIn(call.head)), "Block not found").height;
  const newest = chain.slice(0, from).reverse();
  const page = newest.slice(0, count).map((entry) => historyJson(ledger, entry));
  const history = isTrue(call.raw) ? page : page.flatMap(withoutRaw);
  const next = newest[count];
  return {
    account: call.account,
    history: orEmpty(history),
    ...(next === undefined ? {} : { previous: next.hash }),
  };
}

function withoutRaw(row: Readonly<Record<string, string>>) {
  const { subtype: type, account, amount, height, hash, confirmed } = row;
  return type === "change" ? [] : [{ type, account, amount, height, hash, confirmed }];
}

function accountInfo({ ledger }: DevParts, call: Call): object {
  const chain = ledger.chainOf(accountIn(call));
  const { hash, block } = demand(chain.at(-1), "Account not found");
  return {
    frontier: hash,
    open_block: chain[0]?.hash ?? hash,
    representative_block: hash,
    balance: String(block.balance),
    block_count: String(chain.length),
  };
}

/** Also of an account that has received nothing yet. */
function accountBalance({ ledger }: DevParts, call: Call): object {
  const account = accountIn(call);
  const waiting = ledger.receivable(account).reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  const balance = ledger.chainOf(account).at(-1)?.block.balance ?? 0n;
  return { balance: String(balance), pending: String(waiting), receivable: String(waiting) };
}

function process({ ledger, save }: DevParts, { block: sent }: Call): object {
  const block = signedBlock.safeParse(sent).data;
  if (block === undefined || block.type !== "state") throw new BlockRefused("Block is invalid");
  const { hash } = ledger.process(block);
  save(block);
  return { hash };
}

function devSend({ wallet }: DevParts, { from, to, amount_raw }: Call): object {
  const target = devAccountNamed(to)?.key ?? accountKey(to);
  const { hash } = wallet.send(
    demand(devAccountNamed(from), "Unknown dev account"),
    demand(target, "Bad account number"),
    demand(parseRaw(amount_raw), "Bad amount number"),
  );
  return { hash };
}

function devReceive({ wallet }: DevParts, { account }: Call): object {
  const key = accountKey(account);
  const named = devAccountNamed(account) ?? (key === null ? undefined : devAccountOf(key));
  const received = wallet.receive(demand(named, "Unknown dev account"));
  return { hashes: orEmpty(received.map(({ hash }) => hash)) };
}

const devAccountsRows: Action = ({ ledger }) => {
  const waiting = (key: PublicKey) =>
    ledger.receivable(key).reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  const row = ({ key }: DevAccount) => ({
    account: accountText(key),
    balance: String(ledger.balanceOf(key)),
    receivable: String(waiting(key)),
  });
  return { accounts: Object.fromEntries(devAccounts().map((one) => [one.name, row(one)])) };
};

const counts = ({ ledger }: DevParts): string => String(ledger.blockCount());

/** What the dev chain can be asked; a Map, so that no name of an object's own members is one. */
export const DEV_ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  [
    "version",
    ({ genesis }) => ({
      rpc_version: "1",
      store_version: "24",
      protocol_version: "21",
      node_vendor: "Cairn dev chain",
      network: "cairn-dev",
      network_identifier: genesis,
    }),
  ],
  ["telemetry", (parts) => ({ block_count: counts(parts), cemented_count: counts(parts) })],
  ["block_count", (parts) => ({ count: counts(parts), unchecked: "0", cemented: counts(parts) })],
  ["blocks_info", blocksInfo],
  ["block_info", blockInfo],
  ["receivable", receivable],
  ["pending", receivable],
  ["receivable_exists", receivableExists],
  ["pending_exists", receivableExists],
  ["account_history", accountHistory],
  ["account_info", accountInfo],
  ["account_balance", accountBalance],
  ["process", process],
  ["dev_send", devSend],
  ["dev_receive", devReceive],
  ["dev_accounts", devAccountsRows],
  [
    "dev_confirm",
    ({ ledger }, { hash }) => {
      ledger.confirm(demand(ledger.block(hashIn(hash)), "Block not found").hash);
      return { confirmed: "true" };
    },
  ],
]);
