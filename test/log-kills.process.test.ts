import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { currentLog } from "../src/domains/tlog/log.ts";
import { MINUTE_S } from "../src/platform/kernel/time.ts";
import { parseCheckpoint } from "../src/platform/kernel/tlog/checkpoint.ts";
import { vkeyOf } from "../src/platform/kernel/tlog/note.ts";
import { operate } from "./operator.ts";
import { ENGINES, type Engine, openTestService, START, seededRandom } from "./service.ts";
import { threeWitnesses } from "./witnessed.ts";

/** A thousand in the long run, on each engine one half. */
const KILLS = Math.ceil(Number(process.env["TEST_KILLS"] ?? 4) / ENGINES.length);
const SEED = process.env["TEST_SEED"] ?? "kills";
/** Each life is an hour, so that no witness is left alone after a failure. */
const LIFE_S = 60 * MINUTE_S;

const PROGRAM = fileURLToPath(new URL("dying-log.ts", import.meta.url));

/** Runs one life; resolves to what it said, and to the signal that ended it. */
async function life(variables: Readonly<Record<string, string>>) {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, ...variables };
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (chunk) => (said += chunk));
  child.stderr.on("data", (chunk) => (said += chunk));
  const [code, signal] = await once(child, "close");
  assert(code === 0 || signal === "SIGKILL", said);
  return { said, isKilled: signal === "SIGKILL" };
}

/** One root for each size, in every note that is seen. */
function oneRootForEach() {
  const roots = new Map<number, string>();
  return {
    sizes: () => roots.size,
    see(note: string): void {
      const checkpoint = parseCheckpoint(note);
      assert(checkpoint !== null, note);
      const root = checkpoint.root.toHex();
      assert.equal(
        roots.get(checkpoint.size) ?? root,
        root,
        `two roots of size ${checkpoint.size}`,
      );
      roots.set(checkpoint.size, root);
    },
  };
}

/** A network that has a log and three witnesses, whose every request is noted. */
async function network(t: TestContext, engine: Engine) {
  const three = await threeWitnesses();
  t.after(() => three.close());
  const signed = oneRootForEach();
  let now = START;
  three.timedBy(() => now);
  for (const { place, witness } of three.witnesses)
    place.say((body) => {
      signed.see(body.slice(body.indexOf("\n\n") + 2));
      return witness.add(body);
    });
  const service = await openTestService(engine, "kills", three.settings);
  t.after(() => service.close());
  await operate(service.service, "log init");
  await service.sequenced();
  const log = await currentLog(service.service.store.read);
  assert(log !== null);
  three.logs.push(vkeyOf(log.key));
  const { dataDir, databaseUrl } = service.configuration;
  const memoryFile = join(dataDir, "log-memory.json");
  const variables = {
    ...three.settings,
    CAIRN_DATA_DIR: dataDir,
    CAIRN_DATABASE_URL: databaseUrl ?? "",
    CAIRN_ORIGIN: "test.example/network",
    CAIRN_LOG_LEVEL: "silent",
  };
  return {
    service,
    signed,
    async live(dying_at = "") {
      now += LIFE_S;
      const lived = await life({ ...variables, DYING_AT: dying_at, DYING_NOW: String(now) });
      if (existsSync(memoryFile))
        signed.see(JSON.parse(readFileSync(memoryFile, "utf8")).checkpoint);
      assert(!lived.said.includes("alarm"), lived.said);
      return lived;
    },
  };
}

for (const engine of ENGINES)
  test(`${KILLS} kills between any two steps leave one root for each size [${engine}]`, async (t) => {
    const { service, signed, live } = await network(t, engine);
    const random = seededRandom(SEED);
    const whole = await live();
    const steps = Number(/^steps (\d+)$/m.exec(whole.said)?.[1]);
    assert(steps >= 16, whole.said);
    let kills = 0;
    for (let n = 0; kills < KILLS; n++) {
      const dying_at = 1 + (Buffer.from(random(2)).readUInt16BE() % steps);
      const { isKilled } = await live(String(dying_at));
      if (isKilled) kills++;
      assert(n < 2 * KILLS + 8, "most lives end by a kill");
    }
    const last = await live();
    assert(last.said.startsWith("steps"), last.said);
    const { body } = await service.get("/seal?limit=1000");
    const answer = await fetch(`${service.url}/tlog/checkpoint`);
    const checkpoint = parseCheckpoint(await answer.text());
    assert.equal(checkpoint?.size, body.head.to_id ?? body.seals.at(-1).to_id);
    assert.equal(checkpoint?.note.signatures.length, 4, "the log and three witnesses");
    assert.equal(body.chain_intact, true);
    t.diagnostic(`${kills} kills at ${steps} steps, ${signed.sizes()} checkpoints signed`);
  });
