import { currentLog } from "../../domains/tlog/log.ts";
import { sealEndingAt } from "../../domains/tlog/queries.ts";
import { logFiles, logSignerOf } from "../../main/service/log-key.ts";
import { keepMemory, signerFiles, signerOf } from "../../main/service/operator-key.ts";
import type { Configuration } from "../../main/settings/settings.ts";
import {
  type NewDatabase,
  type PrivateLedger,
  privateLedger,
} from "../../main/storage/database.ts";
import { DAMAGED } from "../../main/storage/memory-file.ts";
import { epochOf, firstOrigin } from "../../platform/kernel/proof/origin.ts";
import { lastSigned, ledgerHead, sealBySeq, sealHead } from "../../platform/ledger/queries.ts";
import { openEpoch, originOf } from "../../platform/ledger/seals/epochs.ts";
import { operatorKeys } from "../../platform/ledger/seals/keys.ts";
import { forgetNotice } from "../../platform/ledger/seals/notice-queries.ts";
import { hex } from "../../platform/ledger/seals/seals.ts";
import type { Signer, SignerMemory } from "../../platform/ledger/seals/signer.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import type { Trusted } from "../verify/pinned-keys.ts";

/** What the operator says about a loss. */
export interface Wish {
  readonly reason: string;
  /** Null when there is a loss only if nothing proves the contrary. */
  readonly epochMin: number | null;
  readonly keyIsLost: boolean;
}

/** What the ledger admits. */
export interface Loss {
  readonly epoch: number;
  readonly origin: string;
  readonly lost_after_id: number;
  readonly lost_after_seq: number;
}

/**
 * Begins a new epoch in a restored ledger, unless the signer's memory proves that it has every
 * signed seal. The memory is changed before the database is published: a seal that was signed is
 * never forgotten, and a restore that is cut off here takes the next number when it is repeated.
 */
export async function admitLoss(
  database: NewDatabase,
  configuration: Configuration,
  { held }: Trusted,
  { reason, epochMin, keyIsLost }: Wish,
): Promise<Loss | null> {
  const { tx } = database;
  await forgetNotice.run(tx, {}); // It spoke of the database that was lost.
  const files = signerFiles(configuration);
  const signer = signerOf(files);
  const origin = (await originOf(tx)) ?? "";
  const entries = await ledgerHead.first(tx, {});
  const seals = await sealHead.first(tx, {});
  const recalled = signer.recall();
  const fault = signer.fault();
  if (recalled === "unreadable" && fault !== DAMAGED)
    throw new Stop(
      REFUSED,
      `The signer's memory ${files.memoryFile} is there and cannot be read: ${fault}. Make it readable first.`,
    );
  const memory = recalled === "unreadable" ? null : recalled;
  if (memory !== null && firstOrigin(memory.origin) !== firstOrigin(origin)) {
    throw new Stop(
      REFUSED,
      `The signer's memory ${files.memoryFile} is of the ledger ${firstOrigin(memory.origin)}, and the backup is of ${firstOrigin(origin)}.`,
    );
  }
  const ledger = await privateLedger(database, configuration);
  const isWhole = (await isProven(ledger, memory)) && (await isLogProven(ledger, configuration));
  if (epochMin === null && isWhole) return null;

  const named = (await operatorKeys(tx)).length > 0;
  if (named && held === null && !keyIsLost) {
    throw new Stop(
      REFUSED,
      `The ledger has to admit a loss under the operator's key, and ${files.keyFile} is not there: put it there, or pass --without-key if it is lost.`,
    );
  }
  const past = [epochOf(origin), memory === null ? 1 : epochOf(memory.origin), (epochMin ?? 2) - 1];
  const epoch = Math.max(...past) + 1;
  keepMemory(files, epoch);
  const yieldToRequests = () => new Promise<void>((resolve) => setImmediate(resolve));
  const loss = { epoch, reason, lastSigned: memory };
  const opened = await openEpoch({ ...ledger, yieldToRequests }, loss, held);
  if (held === null) await forgetLostSeals(ledger, signer);
  return {
    epoch,
    origin: opened,
    lost_after_id: entries?.last_id ?? 0,
    lost_after_seq: seals?.last_seq ?? 0,
  };
}

/** Whether the last seal that was signed here is in the ledger. */
async function isProven({ read }: PrivateLedger, memory: SignerMemory | null): Promise<boolean> {
  const seal = memory && (await sealBySeq.first(read, { seq: memory.seq }));
  return seal != null && hex(seal.seal_hash) === memory?.seal_hash;
}

/** Whether the last checkpoint that was signed here is of a seal in the ledger; so it is without a log. */
async function isLogProven(
  { read }: PrivateLedger,
  configuration: Configuration,
): Promise<boolean> {
  const log = await currentLog(read);
  const memory = logSignerOf(logFiles(configuration)).recall();
  if (memory === null) return log === null;
  if (memory === "unreadable" || log?.origin !== memory.origin) return false;
  const seal = await sealEndingAt.first(read, { to_id: memory.size });
  return seal !== undefined && hex(seal.log_root) === memory.root;
}

/** Without a key nothing of the epoch can be signed now; a later key goes on after what is signed. */
async function forgetLostSeals({ read }: PrivateLedger, signer: Signer): Promise<void> {
  const last = await lastSigned.first(read, {});
  if (last === undefined) return;
  const { seq, seal_hash, origin, pubkey, signed_at, signature } = last;
  if (pubkey === null || signed_at === null || signature === null) return;
  signer.remember({ origin, pubkey, seq, seal_hash: hex(seal_hash), signed_at, signature });
}
