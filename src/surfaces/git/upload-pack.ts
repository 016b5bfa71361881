import { createHash } from "node:crypto";
import type { Packs } from "../../domains/repositories/files/history.ts";
import {
  bytesOf,
  countedIn,
  type Sending,
  sendingOf,
} from "../../domains/repositories/files/sending.ts";
import { CLONE_OBJECTS_MAX } from "../../domains/repositories/rules.ts";
import type { Context } from "../../platform/context.ts";
import { Rejection, reject } from "../../platform/kernel/contract/errors.ts";
import { fairPool } from "../../platform/kernel/pools/fair-pool.ts";
import { semaphore } from "../../platform/kernel/pools/semaphore.ts";
import { sharesOf } from "../incoming/sharing.ts";
import { drained } from "../live/events.ts";
import type { OpenGate } from "../routing/routes.ts";
import type { Answers, Exchange, HeaderList } from "../wire/answer.ts";
import { NO_STORE } from "../wire/answer.ts";
import { bytesFrom } from "../wire/body.ts";
import type { InFlightLimit } from "../wire/in-flight-limit.ts";
import { BAND_MAX_BYTES, BANDS, bandOf, FLUSH, packetsIn, pktLine } from "./pkt-line.ts";

/** Clones that one process answers at once. */
const CLONES_MAX = 24;

/** Clones of one network that are answered at once; each holds one part of its pack in memory. */
const CLONES_PER_NETWORK = CLONES_MAX / 3;

/** Clones whose objects are counted at once: a million of them take 32 MiB meanwhile. */
const COUNTED_AT_ONCE_MAX = 2;

/** A request names at most so many bytes of commits. */
const REQUEST_MAX_BYTES = 128 * 1024;

const CAPABILITIES =
  "multi_ack_detailed no-done side-band side-band-64k shallow no-progress ofs-delta agent=cairn";
const NO_ID = "0".repeat(40);

export const ADVERTISED: HeaderList = [
  "Content-Type",
  "application/x-git-upload-pack-advertisement",
];
const RESULT: HeaderList = ["Content-Type", "application/x-git-upload-pack-result"];
const REQUEST_TYPE = /^application\/x-git-upload-pack-request$/i;

/** What a repository has, for a client that asks with `service=git-upload-pack` (gitprotocol-http). */
export function advertised(tip: string | null, branch: string): string {
  const capabilities = `${CAPABILITIES} symref=HEAD:${branch}`;
  const refs =
    tip === null
      ? pktLine(`${NO_ID} capabilities^{}\0${CAPABILITIES}\n`)
      : pktLine(`${tip} HEAD\0${capabilities}\n`) + pktLine(`${tip} ${branch}\n`);
  return `${pktLine("# service=git-upload-pack\n")}${FLUSH}${refs}${FLUSH}`;
}

const WHY_NO_PUSH =
  "Nobody can push here. An agent commits files with its token: POST /api/v1/repo/commit.";

/** The same for a client that wants to push; git shows the sentence. */
export const PUSH_REFUSED = `${pktLine("# service=git-receive-pack\n")}${FLUSH}${pktLine(`ERR ${WHY_NO_PUSH}\n`)}`;
export const PUSH_TYPE: HeaderList = [
  "Content-Type",
  "application/x-git-receive-pack-advertisement",
];

/** A request of a client, as far as this service understands it. */
interface Asked {
  readonly wants: readonly string[];
  readonly haves: readonly string[];
  /** Where its history ends by now. */
  readonly shallow: readonly string[];
  readonly depth: number | null;
  /** Whether it waits for the pack, and names no more commits. */
  readonly isDone: boolean;
  readonly takes: ReadonlySet<string>;
}

export interface UploadParts {
  readonly read: Context["read"];
  readonly packs: Packs;
  readonly answers: Answers;
  readonly inFlight: InFlightLimit;
}

const PLACE = /^\/git\/([1-9]\d{0,15})\.git\/git-upload-pack$/;
const ID = /^[0-9a-f]{40}$/;

/**
 * The other half of git's smart protocol: a client says which commits it wants and has, and gets one pack, whole or
 * of the newest commits alone. Errors are packets that git shows.
 */
export function uploadPackGate(parts: UploadParts): OpenGate {
  const pool = fairPool(CLONES_MAX);
  const counts = semaphore({
    slots: COUNTED_AT_ONCE_MAX,
    waiting_max: CLONES_MAX,
    onFull: () => reject("overloaded", CROWDED.message),
  });
  return {
    path: "/git/*",
    methods: ["POST"],
    async answer({ exchange, head, slot, sender }) {
      const [, id] = PLACE.exec(head.target.path) ?? [];
      if (id === undefined) {
        const refusal = new Rejection("method_not_allowed", WHY_NO_PUSH);
        return parts.answers.refuse(exchange, refusal, ["Allow", "GET, HEAD, OPTIONS"]);
      }
      if (!REQUEST_TYPE.test(head.fields.contentType ?? ""))
        reject("unsupported_media_type", "Send what git sends to git-upload-pack.");
      const { req } = exchange;
      const uploader = { agent: null, sender, connection: req.socket };
      const by = { max_bytes: REQUEST_MAX_BYTES, inFlight: parts.inFlight, uploader };
      const body = await bytesFrom(req, head.fields, by);
      if (body === null) return; // The sender went away.
      const asked = askedIn(body.toString("latin1"));
      const share = { agent: CLONES_PER_NETWORK, network: CLONES_PER_NETWORK };
      const claim = pool.claim(
        sharesOf({ agent: undefined, sender, connection: req.socket }, share),
        () => exchange.res.destroy(),
      );
      const talk = talkOf(parts.answers, exchange);
      slot.leave();
      try {
        if (!claim.grow(1)) throw CROWDED;
        const holder = sender?.network ?? req.socket;
        const counting: Counting = (work) => counts.run(work, { holder });
        await uploaded({ ...parts, repository: Number(id), holder, counting }, asked, talk);
      } catch (error) {
        await talk.fail(parts.answers.heardOf(exchange, error).message);
      } finally {
        claim.leave();
        talk.end();
      }
    },
  };
}

const CROWDED = new Rejection("overloaded", "Too many clones at once. Clone again in a minute.");

/** Reads a request. Rejects with `bad_request`. */
function askedIn(text: string): Asked {
  const [wants, haves, shallow]: [string[], string[], string[]] = [[], [], []];
  const lists: Readonly<Record<string, string[]>> = { want: wants, have: haves, shallow };
  const takes = new Set<string>();
  let [depth, isDone]: [number | null, boolean] = [null, false];
  for (const packet of packetsIn(text)) {
    if (packet === null) continue;
    const [word = "", value = "", ...more] = (packet ?? "").split(" ");
    const list = Object.hasOwn(lists, word) ? lists[word] : undefined;
    if (packet === "done") isDone = true;
    else if (word === "deepen" && /^[1-9]\d{0,9}$/.test(value)) depth = Number(value);
    else if (list !== undefined && ID.test(value)) list.push(value);
    else reject("bad_request", "This is no request of git that is understood here.");
    for (const each of more) takes.add(each);
  }
  return { wants, haves, shallow, depth, isDone, takes };
}

/** The answer to a client, as it is written. */
interface Talk {
  say(text: string): Promise<void>;
  send(band: number, bytes: Uint8Array): Promise<void>;
  /** Ends with an error that git shows. */
  fail(message: string): Promise<void>;
  end(): void;
  readonly isGone: () => boolean;
}

function talkOf(answers: Answers, exchange: Exchange): Talk {
  const { res } = exchange;
  let isBanded = false;
  const write = async (bytes: Buffer | string) => {
    if (!res.headersSent) answers.open(exchange, answers.headers(RESULT, NO_STORE));
    if (!res.destroyed && !res.write(bytes)) await drained(res);
  };
  return {
    say: write,
    async send(band, bytes) {
      isBanded = true;
      for (let at = 0; at < bytes.length && !res.destroyed; at += BAND_MAX_BYTES)
        await write(bandOf(band, bytes.subarray(at, at + BAND_MAX_BYTES)));
    },
    fail: (message) =>
      isBanded
        ? write(bandOf(BANDS.error, Buffer.from(message)))
        : write(pktLine(`ERR ${message}`)),
    end: () => void res.end(),
    isGone: () => res.destroyed,
  };
}

type From = Omit<UploadParts, "answers" | "inFlight"> & {
  readonly repository: number;
  readonly holder: string | object;
  readonly counting: Counting;
};

type Counting = <T>(work: () => Promise<T>) => Promise<T>;

async function uploaded(from: From, asked: Asked, talk: Talk): Promise<void> {
  if (!asked.takes.has("side-band-64k")) reject("bad_request", "Use git 1.6.6 or newer.");
  const sending = await sendingOf(from, asked);
  if (sending === null)
    return reject("not_found", "There is no such commit here, or not any more. Fetch again.");
  const { common } = sending;
  if (asked.depth !== null) await talk.say(shallowSection(asked, sending));
  const isReady = common !== undefined && asked.takes.has("no-done");
  if (!asked.isDone && asked.depth !== null && asked.haves.length === 0) return; // It asks again, with `done`.
  if (!asked.isDone) {
    const found = ["common", "ready"].map((word) => pktLine(`ACK ${common?.git_sha1} ${word}\n`));
    await talk.say(`${common === undefined ? "" : found.join("")}${pktLine("NAK\n")}`);
    if (!isReady) return;
  }
  await talk.say(pktLine(common === undefined ? "NAK\n" : `ACK ${common.git_sha1}\n`));
  await sendPack(sending, { asked, counting: from.counting }, talk);
}

/** Where the history of the client ends from now on, and where it ended and does no more. */
function shallowSection({ shallow }: Asked, { boundary }: Sending): string {
  const end = boundary?.git_sha1;
  const ended = shallow.filter((id) => id !== end).map((id) => pktLine(`unshallow ${id}\n`));
  return `${end == null ? "" : pktLine(`shallow ${end}\n`)}${ended.join("")}${FLUSH}`;
}

async function sendPack(
  sending: Sending,
  { asked, counting }: { readonly asked: Asked; readonly counting: Counting },
  talk: Talk,
): Promise<void> {
  const tell = async (text: string) => {
    if (!asked.takes.has("no-progress")) await talk.send(BANDS.progress, Buffer.from(text));
  };
  const counted = await counting(() =>
    countedIn(sending, async (objects) => {
      if (objects > CLONE_OBJECTS_MAX) throw TOO_LONG;
      if (talk.isGone()) throw new Rejection("bad_request", "The client went away.");
      await tell(`Counting objects: ${objects}\r`);
    }),
  );
  if (counted === null) throw CHANGED;
  await tell(`Objects: ${counted.objects}.\n`);
  const sum = createHash("sha1");
  for await (const bytes of bytesOf(sending, counted)) {
    if (bytes === null) throw CHANGED;
    if (talk.isGone()) return;
    sum.update(bytes);
    await talk.send(BANDS.pack, bytes);
  }
  await talk.send(BANDS.pack, sum.digest());
  await talk.say(FLUSH);
}

const TOO_LONG = new Rejection(
  "overloaded",
  "This history is too long for one answer. Clone it by its packs: GIT_SMART_HTTP=0 git clone ..., or with --depth 100.",
);
const CHANGED = new Rejection(
  "overloaded",
  "The operator has removed a text of this history meanwhile. Clone again.",
);
