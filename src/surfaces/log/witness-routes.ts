import { addCheckpoint, type Cosigner, noteOfOrigin } from "../../domains/tlog/cosigning.ts";
import type { Context } from "../../platform/context.ts";
import { reject } from "../../platform/kernel/contract/errors.ts";
import { SIZE_TYPE } from "../../platform/kernel/tlog/witness.ts";
import type { ReadLimiter } from "../dispatch/read-limiter.ts";
import { encode } from "../routing/response-cache.ts";
import type { OpenGate, StoredDocument } from "../routing/routes.ts";
import { type Answers, type HeaderList, NO_STORE } from "../wire/answer.ts";
import { textOf } from "../wire/body.ts";
import type { InFlightLimit } from "../wire/in-flight-limit.ts";

/** A request has a proof of 63 lines and a note at most. */
const BODY_MAX_BYTES = 64 * 1024;

const TEXT: HeaderList = ["Content-Type", "text/plain; charset=utf-8"];
const SIZE: HeaderList = ["Content-Type", SIZE_TYPE];
const BRIEF: HeaderList = ["Cache-Control", "public, max-age=5"];
const CONFLICT = 409;

const PATH = /^\/witness\/([0-9a-f]{64})\/checkpoint$/;

interface WitnessParts {
  readonly context: Pick<Context, "read" | "write" | "clock">;
  readonly cosigner: Cosigner;
  readonly answers: Answers;
  readonly inFlight: InFlightLimit;
  readonly reads: ReadLimiter;
}

/** Where logs ask this service to cosign their checkpoints (c2sp.org/tlog-witness). */
export const witnessGate = ({ context, cosigner, answers, inFlight }: WitnessParts): OpenGate => ({
  path: "/witness/add-checkpoint",
  methods: ["POST"],
  async answer({ exchange, head, sender }) {
    const { req } = exchange;
    const uploader = { agent: null, sender, connection: req.socket };
    const by = { max_bytes: BODY_MAX_BYTES, inFlight, uploader };
    const body = await textOf(req, head.fields, by);
    if (body === null) return; // The sender went away.
    const said = await addCheckpoint(context, cosigner, body);
    const type = said.status === CONFLICT ? SIZE : TEXT;
    answers.send(exchange, said.status, answers.headers(type, NO_STORE), said.body);
  },
});

/** The checkpoint of a log that this service has cosigned last, at the hash of its origin. */
export const witnessDocument = ({ context, answers, reads }: WitnessParts): StoredDocument => ({
  path: "/witness/{origin_sha256}/checkpoint",
  nameIn: ({ target }) => target.path,
  find: (name) =>
    reads.run({ limit: 1 }, async () => {
      const [, hash = ""] = PATH.exec(name) ?? [];
      const note = await noteOfOrigin(context.read, hash);
      if (note === null) return reject("not_found", "No log of this origin was cosigned here.");
      return encode(note, [...answers.headers(), ...BRIEF], TEXT);
    }),
});
