import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Published, publishedLog, receiptOf } from "../../domains/tlog/published.ts";
import { tileBytes } from "../../domains/tlog/tile-bytes.ts";
import type { Context } from "../../platform/context.ts";
import { reject } from "../../platform/kernel/contract/errors.ts";
import { type Policy, policyText } from "../../platform/kernel/tlog/policy.ts";
import { isWithin, parseTilePath, TILE_WIDTH } from "../../platform/kernel/tlog/tiles.ts";
import type { ReadLimiter } from "../dispatch/read-limiter.ts";
import { type CachedAnswer, encode } from "../routing/response-cache.ts";
import type { StoredDocument } from "../routing/routes.ts";
import type { HeaderList } from "../wire/answer.ts";
import { contentCodingFor } from "../wire/content-coding.ts";

const TEXT: HeaderList = ["Content-Type", "text/plain; charset=utf-8"];
const BYTES: HeaderList = ["Content-Type", "application/octet-stream"];
/** Witnesses and readers see a new checkpoint at most so many seconds late. */
const CHECKPOINT_MAX_AGE_S = 5;
const BRIEF: HeaderList = ["Cache-Control", `public, max-age=${CHECKPOINT_MAX_AGE_S}`];
const FOR_EVER: HeaderList = ["Cache-Control", "public, max-age=31536000, immutable"];
const VARY: HeaderList = ["Vary", "Accept-Encoding"];

/** Bundles are packed while somebody waits, so speed counts for more than the last few bytes. */
const GZIP_LEVEL = 4;

/** The receipt of the entry with this id. */
const RECEIPT = /^proof\/([1-9]\d{0,15})$/;

interface LogParts {
  readonly read: Context["read"];
  readonly reads: ReadLimiter;
  /** Headers of every answer. */
  readonly common: HeaderList;
  /** What the operator asks of a checkpoint; null: nothing. */
  readonly policy: Policy | null;
  /** Where the operator's copy of the log is, or else the service. */
  readonly urlOf: (log: Published["log"]) => string;
}

/** The public log (c2sp.org/tlog-tiles), at `/tlog/`, or below the number of its epoch. */
export function logDocument({ read, reads, common, policy, urlOf }: LogParts): StoredDocument {
  return {
    path: "/tlog/*",
    nameIn({ target, fields }) {
      const coding = contentCodingFor(fields.acceptEncoding);
      return `${coding === "identity" ? "identity" : "gzip"} ${target.path}`;
    },
    find(name) {
      const [coding = "", path = ""] = name.split(" ");
      // A bundle has as many items as a large page, and takes its slots.
      return reads.run({ limit: TILE_WIDTH }, async () => {
        const log = await publishedLog(read);
        if (log === null || !path.startsWith(`${log.log.prefix}/`)) return nothing();
        const place = path.slice(log.log.prefix.length + 1);
        if (place === "checkpoint") return encode(log.note, [...common, ...BRIEF], TEXT);
        if (place === "policy")
          return encode(suggested(log.log, urlOf(log.log), policy), [...common, ...BRIEF], TEXT);
        const [, asked] = RECEIPT.exec(place) ?? [];
        if (asked === undefined) return tileAnswer(log, place, coding);
        const receipt = await receiptOf(read, log, Number(asked));
        return receipt === null ? nothing() : encode(receipt, [...common, ...BRIEF], TEXT);
      });
    },
  };

  async function tileAnswer(log: Published, place: string, coding: string): Promise<CachedAnswer> {
    const tile = parseTilePath(place);
    if (tile === null || !isWithin(tile, log.size)) return nothing();
    const bytes = Buffer.from(await tileBytes(read, tile));
    if (tile.level !== "entries") return encode(bytes, [...common, ...FOR_EVER], BYTES);
    const head = [...common, ...FOR_EVER, ...VARY];
    if (coding !== "gzip") return encode(bytes, head, BYTES);
    const packed = await promisify(gzip)(bytes, { level: GZIP_LEVEL });
    return encode(packed, head, [...BYTES, "Content-Encoding", "gzip"]);
  }
}

const SUGGESTION =
  "# A suggestion of this log's operator. Whose word counts for you is yours to decide.\n";

/** A policy (c2sp.org/tlog-policy) of this log and the witnesses that its operator asks. */
const suggested = ({ key }: Published["log"], url: string, policy: Policy | null): string =>
  SUGGESTION + policyText({ ...(policy ?? NO_WITNESSES), logs: [{ key, url }] });

const NO_WITNESSES: Policy = { logs: [], witnesses: [], quorum: null, groups: new Map() };

const nothing = () =>
  reject(
    "not_found",
    "Nothing is here: this network publishes no such file of a log, or no log at all. A log's checkpoint has the size of its tree.",
  );
