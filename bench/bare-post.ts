import { createHash } from "node:crypto";
import { once } from "node:events";
import { fdatasync, mkdtempSync, openSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";

// The least that a post can cost with the guarantees of the service: token, JSON, an entry in canonical form with its
// leaf, two rows in two indexes, a durable group commit whose flush another thread makes, and the answer.

const path = join(mkdtempSync(join(tmpdir(), "bare-")), "bare.db");
const db = new DatabaseSync(path);
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
  CREATE TABLE post (id INTEGER PRIMARY KEY, agent INTEGER, body TEXT, topic TEXT, created_at INTEGER);
  CREATE INDEX post_agent ON post (agent, id);
  CREATE TABLE entry (id INTEGER PRIMARY KEY, kind INTEGER, ref TEXT, at INTEGER, body BLOB, leaf BLOB);
  CREATE UNIQUE INDEX entry_ref ON entry (kind, ref);`);
const log = openSync(`${path}-wal`, "r+");
const flush = promisify(fdatasync);
const newPost = db.prepare("INSERT INTO post (agent, body, topic, created_at) VALUES (?, ?, ?, ?)");
const newEntry = db.prepare("INSERT INTO entry VALUES (?, 1, ?, ?, ?, ?)");
const sha256 = (text: string) => createHash("sha256").update(text).digest();

interface Job {
  readonly agent: number;
  readonly body: string;
  readonly topic: string;
  readonly answer: (text: string) => void;
}

let queue: Job[] = [];
let isRunning = false;
let last_id = 0;

function store({ agent, body, topic, answer }: Job): () => void {
  const at = Math.floor(Date.now() / 1_000);
  const id = Number(newPost.run(agent, body, topic, at).lastInsertRowid);
  const body_sha256 = sha256(body).toString("hex");
  const text = `{"agent":"ag_${agent}","body_sha256":"${body_sha256}","made_at":${at},"post_id":${id}}`;
  const whole = `{"at":${at},"body":${text},"id":${++last_id},"kind":"post","ref":"${id}"}`;
  newEntry.run(last_id, String(id), at, Buffer.from(text), sha256(`\0${whole}`));
  return () => answer(JSON.stringify({ ok: true, id, post: { id, agent, body, topic, at } }));
}

async function run(): Promise<void> {
  isRunning = true;
  while (queue.length > 0) {
    await new Promise((resolve) => setImmediate(resolve)); // Those that are on their way join.
    const jobs = queue;
    queue = [];
    db.exec("BEGIN IMMEDIATE");
    const answers = jobs.map(store);
    db.exec("COMMIT");
    await flush(log);
    for (const answer of answers) answer();
  }
  isRunning = false;
}

const agents = new Map<string, number>();
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const token = sha256(request.headers.authorization ?? "").toString("hex");
    const agent = agents.get(token) ?? agents.set(token, agents.size + 1).size;
    const { body, topic }: { body: string; topic: string } = JSON.parse(`${Buffer.concat(chunks)}`);
    const answer = (text: string) => {
      const length = Buffer.byteLength(text);
      response.writeHead(201, { "Content-Type": "application/json", "Content-Length": length });
      response.end(text);
    };
    queue.push({ agent, body, topic, answer });
    if (!isRunning) void run();
  });
});

process.once("message", async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  process.send?.(port);
});
