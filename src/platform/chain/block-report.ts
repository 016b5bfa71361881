import type { PublicKey } from "../kernel/nano.ts";
import { ChainInconsistent } from "./adapter.ts";
import { type BlockRow, blockRow, blocksInfo } from "./answers.ts";
import { type Block, blockHash, isEpoch, isSigned } from "./block.ts";
import type { Endpoint } from "./endpoint.ts";
import { RpcRefusal, shaped } from "./rpc.ts";

/** A block as one endpoint shows it. The contents fit the hash; the rest is the endpoint's word. */
export interface BlockReport {
  readonly block: Block;
  readonly account: PublicKey;
  readonly isConfirmed: boolean;
  readonly amountRaw: bigint | null;
  readonly receiveHash: string | null;
  readonly sender: PublicKey | null;
  readonly subtype: string | null;
}

/** The block with this hash, signed by its account; null when the endpoint does not know it. */
export async function fetchReport(
  endpoint: Pick<Endpoint, "call">,
  hash: string,
  signal: AbortSignal,
): Promise<BlockReport | null> {
  const row = await contentsOf(endpoint, hash, signal);
  if (row === null) return null;
  const { contents: block } = row;
  // The hash of an older block does not cover its account; its signature of the block does.
  const account = "account" in block ? block.account : row.block_account;
  if (account === null) throw new ChainInconsistent("a block without an account");
  if (!isEpoch(block) && !isSigned(hash, block.signature, account)) {
    throw new ChainInconsistent("a block's signature is not its account's");
  }
  return {
    block,
    account,
    isConfirmed: row.confirmed,
    amountRaw: row.amount ?? null,
    receiveHash: row.receive_hash,
    sender: row.source_account,
    subtype: row.subtype ?? null,
  };
}

/** The block of a hash: contents that have this hash, signed or not. */
export async function contentsOf(
  endpoint: Pick<Endpoint, "call">,
  hash: string,
  signal: AbortSignal,
): Promise<BlockRow | null> {
  const row = await rowOf(endpoint, hash, signal);
  if (row === null || blockHash(row.contents) === hash) return row;
  throw new ChainInconsistent("a block does not have the hash that it stands under");
}

async function rowOf(
  endpoint: Pick<Endpoint, "call">,
  hash: string,
  signal: AbortSignal,
): Promise<BlockRow | null> {
  const request = {
    action: "blocks_info",
    hashes: [hash],
    json_block: "true",
    include_not_found: "true",
    receive_hash: "true",
    source: "true",
  };
  try {
    const answer = await endpoint.call(request, signal);
    if (answer === null) return null;
    const { blocks, blocks_not_found = [] } = shaped(blocksInfo, answer, "blocks_info");
    if (blocks_not_found.includes(hash)) return null;
    return shaped(blockRow, blocks[hash] ?? blocks[hash.toLowerCase()], "blocks_info");
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    const single = { action: "block_info", hash, json_block: "true" };
    const answer = await endpoint.call(single, signal);
    return answer === null ? null : shaped(blockRow, answer, "block_info");
  }
}
