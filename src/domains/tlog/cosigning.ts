import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import {
  cosignatureLine,
  cosignedMessage,
  LOG_KEY,
  type NoteKey,
  noteOf,
  parseVkey,
  vkeyOf,
} from "../../platform/kernel/tlog/note.ts";
import { parseWitnessRequest, refusalOf } from "../../platform/kernel/tlog/witness.ts";
import { verifySignature } from "../../platform/ledger/seals/ed25519.ts";
import { sha256, sha256Hex } from "../../platform/ledger/sha256.ts";
import * as sql from "./cosigning-queries.ts";

/** The key of a witness, and what it signs with. */
export interface Cosigner {
  readonly key: NoteKey;
  /** Base64 of the Ed25519 signature. */
  sign(message: string): string;
}

/** What a witness answers to `add-checkpoint`: a status of its own, and a body of text. */
export interface WitnessAnswer {
  readonly status: number;
  readonly body: string;
}

/** Tries of one request, each after another request has brought the same log further. */
const TRIES = 3;

/**
 * Answers a log's request to cosign its checkpoint (c2sp.org/tlog-witness). The tree is stored, durably
 * and only if nobody has stored another one meanwhile, before anything is signed.
 */
export async function addCheckpoint(
  { read, write, clock }: Pick<Context, "read" | "write" | "clock">,
  cosigner: Cosigner,
  body: string,
): Promise<WitnessAnswer> {
  const request = parseWitnessRequest(body);
  if (request === null) return { status: 400, body: "malformed request\n" };
  const { checkpoint } = request;
  const { origin, size, root, note } = checkpoint;
  for (let i = 0; i < TRIES; i++) {
    const log = await sql.witnessedLog.first(read, { origin });
    const key = log && parseVkey(log.vkey, sha256);
    const held = log?.root == null ? null : { size: log.size, root: log.root };
    const known = { keys: key ? [key] : [], held };
    const refused = refusalOf(request, known, { verifySignature, sha256 });
    if (refused !== null) return refused;
    const at = clock.now();
    const own = note.signatures.filter(({ name }) => name === origin);
    const kept = noteOf(
      note.text,
      own.map(({ line }) => line),
    );
    const line = cosigned(cosigner, note.text, at);
    const row = { origin, old_size: request.old_size, size, root, note: `${kept}${line}\n`, at };
    if ((await write((tx) => sql.advanceWitnessed.run(tx, row))) === 1)
      return { status: 200, body: `${line}\n` };
  }
  return { status: 503, body: "another request for this log is faster; try again\n" };
}

const cosigned = ({ key, sign }: Cosigner, text: string, time: number): string =>
  cosignatureLine(key, time, Buffer.from(sign(cosignedMessage(text, time)), "base64"));

/** The keys of a list of logs (`logs/v0` of the public witness network); a RangeError names a wrong line. */
function keysInList(text: string): readonly NoteKey[] {
  const [first, ...lines] = text.split("\n");
  if (first !== "logs/v0") throw new RangeError('Line 1: a list of logs begins with "logs/v0".');
  return lines.flatMap((line, i) => {
    const [word, vkey = "", ...more] = line.split(" ");
    if (word !== "vkey") return [];
    const key = more.length === 0 ? parseVkey(vkey, sha256) : null;
    if (key === null) throw new RangeError(`Line ${i + 2}: there is no vkey of Ed25519.`);
    return key.type === LOG_KEY ? [key] : [];
  });
}

/** The newest note that was cosigned of the log whose origin has this hash; null without one. */
export async function noteOfOrigin(read: Db, origin_sha256: string): Promise<string | null> {
  return (await sql.noteByHash.first(read, { origin_sha256 }))?.note ?? null;
}

/** A list may name so many logs. */
const LOGS_MAX = 10_000;

/** Adds the logs that a list names. Those that are known keep their key and their tree. */
export async function addLogs({ write }: Pick<Context, "write">, list: string): Promise<number> {
  const keys = keysInList(list);
  if (keys.length > LOGS_MAX) throw new RangeError(`A list may name ${LOGS_MAX} logs.`);
  return write(async (tx) => {
    let added = 0;
    for (const key of keys)
      added += await sql.addWitnessed.run(tx, {
        origin: key.name,
        origin_sha256: sha256Hex(key.name),
        vkey: vkeyOf(key),
      });
    return added;
  });
}
