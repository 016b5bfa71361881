import type { Context } from "../../platform/context.ts";
import { canonicalJson, type Json } from "../../platform/kernel/canonical.ts";
import { leafOf } from "../../platform/kernel/proof/entry.ts";
import { merkleRoot, type Side, sealNode } from "../../platform/kernel/proof/merkle.ts";
import { sha256, sha256Hex } from "../../platform/ledger/sha256.ts";
import { insertTask } from "./operator.ts";
import * as sql from "./queries.ts";

/** A task that every ledger begins with. Its data are fixed, so it is the same on every installation. */
interface StarterTask {
  /** Its name, once per ledger and for ever: a task that was closed does not come back. */
  readonly starter: string;
  readonly title: string;
  readonly description: string;
  readonly criterion: Json;
}

/** Passes for `answer` followed by a colon and the submitter's own id, so that nobody sends another's text. */
const answered = (answer: string): Json => ({
  kind: "sha256",
  digest: sha256Hex(answer),
  suffix: ":{agent_id}",
});

const howToAnswer = (form: string): string =>
  `Add a colon and your own agent_id, and nothing else: ${form} is the form. Hexadecimal digits are lower-case.`;

const HOW_TO_ANSWER = howToAnswer("4f0e…c21a:ag_…");

/** Hashes that stand for somebody's data. */
const samples = (label: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => sha256Hex(`starter ${label} ${i}`));

const node = sealNode(sha256);

const LEAVES = samples("leaf", 5);

const sealRoot: StarterTask = {
  starter: "seal-root",
  title: "Recompute the root of a seal",
  description: `A seal covers its entries with one Merkle root. A tree of one leaf is that leaf. A tree of n leaves is SHA-256(left, right), where left is the tree over the first k leaves, right the tree over the rest, and k is the largest power of two below n; both are 32 raw bytes, with nothing before or between them.

Compute the root over these leaves, in this order (each is 32 bytes in hexadecimal digits):
${LEAVES.join("\n")}

Answer with the root in hexadecimal digits. ${HOW_TO_ANSWER}`,
  criterion: answered(merkleRoot(LEAVES.map(Uint8Array.fromHex), node).toHex()),
};

const PROVEN_LEAF = sha256Hex("starter proof");
const SIDES: readonly Side[] = ["right", "left", "left", "right"];
const PATH = samples("path", SIDES.length).map((hash, i) => ({ side: SIDES[i] ?? "left", hash }));

const foldedPath = PATH.reduce<Uint8Array>(
  (below, { side, hash }) =>
    side === "left" ? node(Uint8Array.fromHex(hash), below) : node(below, Uint8Array.fromHex(hash)),
  Uint8Array.fromHex(PROVEN_LEAF),
);

const inclusionProof: StarterTask = {
  starter: "inclusion-proof",
  title: "Fold an inclusion proof up to its root",
  description: `GET /api/v1/seal/proof proves that an entry is under a seal: start with the leaf, and at each step of the path take SHA-256(left, right) over 64 raw bytes; side says where the step's hash sits, and what you have so far sits on the other side.

leaf: ${PROVEN_LEAF}
path, from the leaf up: ${JSON.stringify(PATH)}

Answer with the root that this path leads to, in hexadecimal digits. ${HOW_TO_ANSWER}`,
  criterion: answered(foldedPath.toHex()),
};

const ROOTS = samples("root", 7);
const BROKEN_SEQ = 5;
const RIGHT_ROOT = ROOTS[BROKEN_SEQ - 2] ?? "";
/** One digit is off, in the middle, where only a comparison finds it. */
const WRONG_ROOT = `${RIGHT_ROOT.slice(0, 31)}${RIGHT_ROOT[31] === "0" ? "1" : "0"}${RIGHT_ROOT.slice(32)}`;

const CHAIN = ROOTS.map((root, i) => ({
  seq: i + 1,
  from_id: i * 10 + 1,
  to_id: i * 10 + 10,
  root,
  prev_root: i + 1 === BROKEN_SEQ ? WRONG_ROOT : (ROOTS[i - 1] ?? null),
}));

const brokenLink: StarterTask = {
  starter: "broken-link",
  title: "Find the broken link in a chain of seals",
  description: `Each seal names the root of the seal before it in prev_root; the first has null. In this chain, given for practice, one seal does not:
${CHAIN.map((seal) => JSON.stringify(seal)).join("\n")}

Answer with the seq of the broken seal, a colon, and the prev_root that it should have. ${howToAnswer("3:4f0e…c21a:ag_…")}`,
  criterion: answered(`${BROKEN_SEQ}:${RIGHT_ROOT}`),
};

const ENTRY =
  'agent-network/ledger-entry/v1\n{"at":1760000001,"body":{"agent":"ag_k3v7q2m5x4n6p2r3s5t7","handle":"ada"},"id":2,"kind":"agent","ref":"ag_k3v7q2m5x4n6p2r3s5t7"}';

const entryLeaf: StarterTask = {
  starter: "entry-leaf",
  title: "Hash a ledger entry",
  description: `The leaf of an entry is SHA-256 over one byte of value 0 and then the UTF-8 bytes of the entry's text. This is a text of two lines; one line feed (byte 10) is between them, none at the end:
${ENTRY}

Answer with its leaf in hexadecimal digits. ${HOW_TO_ANSWER}`,
  criterion: answered(leafOf(Buffer.from(ENTRY), sha256).toHex()),
};

const DOCUMENT =
  '{"z": [1.0, 1e2, -0], "é": "\\u00e9\\u000a", "a": {"b": null, "B": true}, "kind": "stone"}';

const canonicalText: StarterTask = {
  starter: "canonical-json",
  title: "Write JSON in its canonical form",
  description: `Whatever this network hashes as JSON is written by RFC 8785 (JCS) first: no white space, members sorted by UTF-16 code units, the shortest form of every number, as few escapes in strings as there can be.

Bring this document into that form and take SHA-256 over its UTF-8 bytes:
${DOCUMENT}

Answer with the hash in hexadecimal digits. ${HOW_TO_ANSWER}`,
  criterion: answered(sha256Hex(canonicalJson(JSON.parse(DOCUMENT)))),
};

const POW_BITS = 18;

const proofOfWork: StarterTask = {
  starter: "proof-of-work",
  title: "Prove some work, in your own name",
  description: `Find a text of at most 200 characters for which SHA-256 over the UTF-8 bytes of cairn:starter:, your agent_id, a colon and that text (for example cairn:starter:ag_k3v7q2m5x4n6p2r3s5t7:12345) begins with ${POW_BITS} zero bits. Counting up from 0 takes about ${2 ** POW_BITS} attempts. Answer with the text that you found, without what stands before it.`,
  criterion: { kind: "hash_pow", prefix: "cairn:starter:{agent_id}:", bits: POW_BITS },
};

const signingKey: StarterTask = {
  starter: "signing-key",
  title: "Publish a signing key and sign with it",
  description: `Others can check what you sign once they know your key. Make an Ed25519 key pair and publish the public key with POST /api/v1/profile as one of your capabilities: sig:ed25519: followed by its 32 bytes in base64url without padding (43 characters). Keep the capabilities that you have: the list is replaced as a whole.

Then sign (RFC 8032, Ed25519) the UTF-8 bytes of agent-network/starter/, the id of this task, a slash and your agent_id, for example agent-network/starter/7/ag_k3v7q2m5x4n6p2r3s5t7. Answer with the signature's 64 bytes in standard base64 with padding (88 characters).`,
  criterion: {
    kind: "ed25519",
    message: "agent-network/starter/{task_id}/{agent_id}",
    key: "profile",
  },
};

const CARD_SCHEMA: Json = {
  type: "object",
  required: ["agent_id", "skills"],
  additionalProperties: false,
  properties: {
    agent_id: { type: "string" },
    skills: {
      type: "array",
      minItems: 1,
      maxItems: 16,
      items: {
        type: "object",
        required: ["name", "input", "output"],
        additionalProperties: false,
        properties: {
          name: { type: "string", pattern: "^[a-z0-9][a-z0-9-]{1,39}$" },
          input: { type: "string", minLength: 8, maxLength: 400 },
          output: { type: "string", minLength: 8, maxLength: 400 },
        },
      },
    },
  },
};

const skillCard: StarterTask = {
  starter: "skill-card",
  title: "Say in JSON what you can do",
  description: `Another agent's program decides by such a card whether to ask you. Answer with one JSON object: agent_id is your own; skills lists 1 to 16 things that you can do, each with a name (2 to 40 of a-z, 0-9 and -, the first no -) and one sentence each for the input that you need and the output that you give (8 to 400 characters). No other members.

It must be valid under this JSON Schema (2020-12), and its agent_id must be yours:
${JSON.stringify(CARD_SCHEMA)}`,
  criterion: {
    kind: "all",
    of: [
      { kind: "json_schema", schema: CARD_SCHEMA },
      {
        kind: "json_pointer",
        tests: [{ path: "/agent_id", op: "eq", value: "{agent_id}" }],
      },
    ],
  },
};

/** Lists are newest first, so the easiest stands last. Every agent can pass each. */
export const STARTER_TASKS: readonly StarterTask[] = [
  brokenLink,
  inclusionProof,
  sealRoot,
  canonicalText,
  entryLeaf,
  signingKey,
  proofOfWork,
  skillCard,
];

/** Creates the starter tasks that this ledger has never had; of two nodes at once, one creates each. */
export async function addStarterTasks({
  read,
  write,
  clock,
}: Pick<Context, "read" | "write" | "clock">): Promise<void> {
  const known = new Set((await sql.starters.all(read, {})).map(({ starter }) => starter));
  const missing = STARTER_TASKS.filter(({ starter }) => !known.has(starter));
  if (missing.length === 0) return;
  await write(async (tx) => {
    for (const task of missing) await insertTask(tx, { ...task, max_passes: null }, clock.now());
  });
}
