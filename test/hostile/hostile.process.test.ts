import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { openTestService } from "../service.ts";
import { forgetPeak, peakOf, type Row, tableOf } from "./measured.ts";
import { MODES, type ModeName } from "./modes.ts";
import { type HostileNetwork, openHostile } from "./network.ts";

/** `TEST_TABLE=1` prints what each client did in each mode. */
const PRINTS = process.env["TEST_TABLE"] === "1";

const NAMES = Object.keys(MODES) as readonly ModeName[];
const rows: Row[] = [];
let service: Awaited<ReturnType<typeof openTestService>>;
let network: HostileNetwork;

before(async () => {
  service = await openTestService("sqlite", "hostile");
  network = await openHostile(service.url);
});
after(async () => {
  await network.close();
  await service.close();
  if (PRINTS) console.log(tableOf(rows));
});

test("the client's calls end, whatever the network answers", async (t) => {
  const { token } = await service.register("caller");
  const program = join(import.meta.dirname, "caller.ts");
  const stdio = ["pipe", "pipe", "inherit"] as const;
  const child = spawn(process.execPath, [program, token], { stdio: [...stdio] });
  t.after(() => child.kill());
  const lines = createInterface(child.stdout);
  for (const mode of NAMES) {
    forgetPeak(child);
    const began = performance.now();
    child.stdin.write(`${network.at(mode)}\n`);
    const [exit] = await once(lines, "line");
    const seconds = (performance.now() - began) / 1000;
    rows.push({ client: "client", mode, exit, seconds, peak_MB: peakOf(child) });
  }
  assert.deepEqual(network.stolen, []);
});
