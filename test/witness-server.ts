import { createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SignedCheckpoint } from "../src/platform/kernel/tlog/checkpoint.ts";
import {
  cosignatureLine,
  cosignedMessage,
  type NoteKey,
  noteKey,
  noteOf,
  parseVkey,
  vkeyOf,
  WITNESS_KEY,
} from "../src/platform/kernel/tlog/note.ts";
import { parseWitnessRequest, refusalOf, SIZE_TYPE } from "../src/platform/kernel/tlog/witness.ts";
import { verifySignature } from "../src/platform/ledger/seals/ed25519.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";

/** What a witness answers. */
export interface Said {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

const noteIn = ({ note: { text, signatures } }: SignedCheckpoint): string =>
  noteOf(
    text,
    signatures.map(({ line }) => line),
  );

/** The rules of c2sp.org/tlog-witness, with what it has seen in memory. `logs` may grow. */
export function witnessOf(name: string, logs: readonly string[], now: () => number) {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { x = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const key = noteKey(name, WITNESS_KEY, Buffer.from(x, "base64url").toString("hex"), sha256);
  const seen = new Map<string, SignedCheckpoint>();
  const cosign = (text: string, time: number, as: NoteKey = key) =>
    cosignatureLine(as, time, sign(null, Buffer.from(cosignedMessage(text, time)), privateKey));
  return {
    key,
    vkey: vkeyOf(key),
    seen,
    cosign,
    /** What it says to `add-checkpoint`, and with the newest checkpoint to a request without a body. */
    add(body: string): Said {
      const newest = [...seen.values()].at(-1);
      if (body === "" && newest !== undefined) return { status: 200, body: noteIn(newest) };
      const request = parseWitnessRequest(body);
      if (request === null) return { status: 400, body: "malformed\n" };
      const { checkpoint } = request;
      const known = logs.map((vkey) => parseVkey(vkey, sha256)).filter((log) => log !== null);
      const keys = known.filter(({ name: origin }) => origin === checkpoint.origin);
      const held = seen.get(checkpoint.origin) ?? null;
      const refused = refusalOf(request, { keys, held }, { verifySignature, sha256 });
      if (refused !== null)
        return { ...refused, ...(refused.status === 409 && { type: SIZE_TYPE }) };
      seen.set(checkpoint.origin, checkpoint);
      return { status: 200, body: `${cosign(checkpoint.note.text, now())}\n` };
    },
  };
}

export type TestWitness = ReturnType<typeof witnessOf>;

/** Serves a witness; `answer` may say something else than its rules do. */
export async function serveWitness(
  witness: TestWitness,
  answer: (body: string, res: ServerResponse) => Said | null = witness.add,
) {
  const requests: string[] = [];
  let answering = answer;
  const server = createServer((req, res) => {
    let body = "";
    req.on("data", (chunk) => {
      body += chunk;
    });
    req.on("end", () => {
      requests.push(`${req.method} ${req.url}`);
      const said = answering(body, res);
      if (said === null) return;
      res.writeHead(said.status, { "content-type": said.type ?? "text/plain" }).end(said.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    say(other: typeof answer) {
      answering = other;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
