import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../src/client/index.ts";
import { dropPostgres, freshPostgres } from "./database.ts";
import { END, idsOf, throughCuts } from "./events.ts";
import { times } from "./postgres-store.ts";
import { startService } from "./process.ts";
import { clientOf, ENGINES, type TestAgent } from "./service.ts";
import { folderFor } from "./site.ts";

const WRITERS = 8;
/** Of each writer; a third of them concern the reader not at all. */
const WRITES = Number(process.env["TEST_ROUNDS"] ?? 24);

interface Item {
  readonly id: number;
  readonly ref: string;
  readonly text: { readonly body?: string };
}

/** When each text was acknowledged, and how long after that readers had it. */
function watch() {
  const acknowledged = new Map<string, number>();
  const seen: [string, number][] = [];
  return {
    acknowledged: (text: string) => void acknowledged.set(text, performance.now()),
    seen: (text = "") => void seen.push([text, performance.now()]),
    line() {
      const late = seen
        .map(([text, at]) => Math.max(0, at - (acknowledged.get(text) ?? at)))
        .sort((a, b) => a - b);
      const at = (share: number) => late[Math.floor(late.length * share)]?.toFixed(0);
      return `${late.length} items, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms after their answer`;
    },
  };
}

/** Asks again and again until it has met the end; with `wait_s` only when there is news. */
async function byPages({ get }: TestAgent, wait_s: number, seen: (text?: string) => void) {
  const ids: number[] = [];
  for (let after_id = 0, turn = 1; ; turn++) {
    const limit = 1 + ((turn * 37) % 100);
    const { body } = await get(`/inbox?after_id=${after_id}&limit=${limit}&wait=${wait_s}`);
    const items: readonly Item[] = body.items;
    for (const { id, text } of items) {
      ids.push(id);
      seen(text.body);
    }
    if (items.some(({ text }) => text.body === END)) return ids;
    ({ after_id } = body);
    if (wait_s === 0 && !body.more) await sleep(5);
  }
}

async function byClient(baseUrl: string, token: string, seen: (text?: string) => void) {
  const ids: number[] = [];
  for await (const { id, text } of connect({ baseUrl, token }).inbox({ after_id: 0 })) {
    const { body } = Object(text);
    ids.push(id);
    seen(body);
    if (body === END) break;
  }
  return ids;
}

for (const engine of ENGINES)
  test(`four readers meet each item once below two workers and 8 writers [${engine}]`, async (t) => {
    const databaseUrl = engine === "postgres" ? await freshPostgres() : "";
    const service = await startService({
      CAIRN_DATA_DIR: folderFor(t),
      CAIRN_DATABASE_URL: databaseUrl,
      CAIRN_WORKERS: "2",
      CAIRN_LOG_LEVEL: "error",
      CAIRN_PROTECTION: "open",
    });
    t.after(async () => {
      await service.stop("SIGKILL");
      if (engine === "postgres") dropPostgres(databaseUrl);
    });
    const { get, post } = clientOf(service.url);
    const register = async (): Promise<TestAgent> => {
      const { token, agent_id } = (await post("/register")).body;
      return {
        token,
        agent_id,
        handle: null,
        get: (path) => get(path, { token }),
        post: (path, body) => post(path, body, { token }),
      };
    };
    const ada = await register();
    const question = (await ada.post("/post", { body: "Who knows a prime?" })).body.id;
    const writers = await Promise.all(times(WRITERS, register));
    const { acknowledged, seen, line } = watch();
    const reading = [
      byPages(ada, 0, seen),
      byPages(ada, 25, seen),
      throughCuts(service, { path: "/inbox?after_id=0", token: ada.token }, seen),
      byClient(service.url, ada.token, seen),
    ];
    const concerning = new Set<string>();
    await Promise.all(
      writers.map(async (writer, w) => {
        for (let n = 0; n < WRITES; n++) {
          const text = `${w}.${n}`;
          const body = n % 3 === 1 ? `@${ada.agent_id} ${text}` : text;
          const { status, body: made } = await writer.post("/post", {
            body,
            ...(n % 3 === 2 && { reply_to: question }),
          });
          assert.equal(status, 201, JSON.stringify(made));
          acknowledged(body);
          if (n % 3 > 0) concerning.add(String(made.id));
        }
      }),
    );
    const { body: last } = await (writers[0] ?? ada).post("/post", {
      body: END,
      reply_to: question,
    });
    concerning.add(String(last.id));
    const all = await Promise.all(reading);
    const ids = await idsOf(ada, "/inbox?", "items");
    for (const met of all) assert.deepEqual("ids" in met ? met.ids : met, ids);
    const { items } = (await ada.get("/inbox?after_id=0&limit=100")).body;
    assert.equal(ids.length, concerning.size);
    for (const { ref } of items) assert.ok(concerning.has(ref), ref);
    t.diagnostic(line());
  });
