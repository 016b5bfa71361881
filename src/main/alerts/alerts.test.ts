import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { urlOf } from "../../../test/service.ts";
import type { AlarmName } from "../../platform/kernel/alarms.ts";
import { channelsOf } from "./alerts.ts";
import { beat, type Channel, type Notice, programOf, webhook } from "./channels.ts";
import { tellerOf } from "./teller.ts";

const NOTICE: Notice = {
  id: "n1",
  alert: "CairnDiskFull",
  state: "raised",
  severity: "page",
  sentence: "10 MiB of disk are free.",
  advice: "Make room on the disk of the data folder.",
  since: 1_800_000_000,
  at: 1_800_000_600,
  runbook: "docs/operating/troubleshoot.md#disk-space",
  network: "a.example",
  base_url: "https://a.example",
};

/** A receiver that answers as told, and remembers what it was sent. */
async function receiver(t: TestContext, answer: (res: ServerResponse) => void) {
  const got: { readonly headers: IncomingMessage["headers"]; readonly body: string }[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    got.push({ headers: req.headers, body: Buffer.concat(chunks).toString() });
    answer(res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: urlOf(server.address()), got };
}

test("a webhook gets the notice, signed as Standard Webhooks says", async (t) => {
  const { url, got } = await receiver(t, (res) => res.writeHead(204).end());
  const secret = `whsec_${Buffer.from("a secret of the operator").toString("base64")}`;
  assert.equal(await webhook(url, secret).send(NOTICE), null);
  const [{ headers, body } = { headers: {}, body: "" }] = got;
  assert.deepEqual(JSON.parse(body), NOTICE);
  assert.equal(headers["webhook-id"], "n1");
  const mac = createHmac("sha256", "a secret of the operator");
  const signature = mac.update(`n1.1800000600.${body}`).digest("base64");
  assert.equal(headers["webhook-signature"], `v1,${signature}`);
  assert.equal(await webhook(url, null).send(NOTICE), null);
  assert.equal(got[1]?.headers["webhook-signature"], undefined);
});

test("a receiver that is dead, slow, lying or elsewhere has not taken it", async (t) => {
  assert.match((await webhook("http://127.0.0.1:9", null).send(NOTICE)) ?? "", /did not answer/);
  const failing = await receiver(t, (res) => res.writeHead(500).end("ok"));
  assert.equal(await webhook(failing.url, null).send(NOTICE), "It answered 500.");
  const elsewhere = await receiver(t, (res) => res.writeHead(204).end());
  const moved = await receiver(t, (res) => res.writeHead(307, { location: elsewhere.url }).end());
  assert.equal(await webhook(moved.url, null).send(NOTICE), "It answered 307.");
  assert.equal(elsewhere.got.length, 0, "no redirect is followed");
  const slow = await receiver(t, () => {});
  assert.match((await webhook(slow.url, null).send(NOTICE)) ?? "", /did not answer.*timeout/i);
  const endless = await receiver(t, (res) => {
    res.writeHead(200);
    res.write("x");
  });
  assert.equal(await webhook(endless.url, null).send(NOTICE), null, "its answer is not read");
});

test("a program gets the notice, and nothing of the settings", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-alarm-"));
  const script = join(folder, "told.sh");
  process.env["CAIRN_TEST_SECRET"] = "s3cret";
  writeFileSync(script, `#!/bin/sh\ncat > "$1/got"; env > "$1/env"\n`, { mode: 0o700 });
  assert.equal(await programOf([script, folder]).send(NOTICE), null);
  delete process.env["CAIRN_TEST_SECRET"];
  assert.deepEqual(JSON.parse(readFileSync(join(folder, "got"), "utf8")), NOTICE);
  assert.doesNotMatch(readFileSync(join(folder, "env"), "utf8"), /CAIRN_|s3cret/);
  assert.equal(await programOf(["/bin/false"]).send(NOTICE), "It ended with exit code 1.");
  assert.match((await programOf(["/no/such"]).send(NOTICE)) ?? "", /did not run.*ENOENT/);
});

test("a heartbeat that nobody takes is a failure of its job", async (t) => {
  const alive = await receiver(t, (res) => res.writeHead(200).end());
  await beat(alive.url);
  assert.equal(alive.got.length, 1);
  const gone = await receiver(t, (res) => res.writeHead(404).end());
  await assert.rejects(beat(gone.url), /answered 404/);
});

test("a secret is read when the service begins", () => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-alarm-"));
  const none = { alarmWebhook: null, alarmCommand: null, heartbeatUrl: null };
  const file = join(folder, "secret");
  assert.throws(() => channelsOf({ ...none, alarmSecretFile: file }), /cannot be read: ENOENT/);
  writeFileSync(file, "\n");
  assert.throws(() => channelsOf({ ...none, alarmSecretFile: file }), /is empty/);
});

/** A channel in the test's own hands. */
function recorder() {
  const told: [alert: string, state: string, sentence: string][] = [];
  let why: string | null = null;
  const channel: Channel = {
    name: "webhook",
    async send({ alert, state, sentence }) {
      if (why === null) told.push([alert, state, sentence]);
      return why;
    },
  };
  const changes: (string | null)[] = [];
  const teller = tellerOf({
    channels: [channel],
    network: "a.example",
    baseUrl: "https://a.example",
    newId: () => "n",
    changed: (_, reason) => changes.push(reason),
  });
  const values = new Map<string, number>();
  const alarms = new Map<AlarmName, number>();
  const look = async (now: number) => {
    await teller.look({ value: (name) => values.get(name), failed: () => 0, now }, alarms);
    return told.splice(0);
  };
  const breaks = (reason: string | null) => {
    why = reason;
  };
  return { look, values, alarms, breaks, changes, raised: teller.raised };
}

test("a rule is raised after its time, once, and resolved when it is over", async () => {
  const { look, values, raised } = recorder();
  values
    .set("cairn_disk_free_bytes", 10 * 1_048_576)
    .set("cairn_disk_large_floor_bytes", 1_048_576 * 64);
  assert.deepEqual(await look(1_000), []);
  assert.deepEqual(await look(1_599), []);
  assert.deepEqual(await look(1_600), [["CairnDiskFull", "raised", "10 MiB of disk are free."]]);
  assert.deepEqual(await look(9_000), []);
  const [finding, ...others] = raised();
  const { name, state, sentence, since } = finding ?? {};
  const said = ["CairnDiskFull", "warning", "10 MiB of disk are free.", 1_000];
  assert.deepEqual([[name, state, sentence, since], others], [said, []]);
  values.set("cairn_disk_free_bytes", 1e12);
  const over = "It is over: 10 MiB of disk are free.";
  assert.deepEqual(await look(9_015), [["CairnDiskFull", "resolved", over]]);
  values.set("cairn_disk_free_bytes", 1);
  await look(9_030);
  assert.deepEqual(raised(), [], "not yet");
  values.set("cairn_disk_free_bytes", 1e12);
  assert.deepEqual(await look(9_045), [], "a short fault is never told");
});

test("a channel that fails gets the newest state, and nothing queues", async () => {
  const { look, values, breaks, changes } = recorder();
  breaks("It answered 500.");
  values.set("cairn_signer_state", 3);
  await look(0);
  assert.deepEqual(await look(120), []);
  values.set("cairn_signer_state", 0);
  assert.deepEqual(await look(135), []);
  breaks(null);
  const said = await look(150);
  assert.deepEqual(said, [["CairnSigner", "resolved", "It is over: The signer refuses: state 3."]]);
  assert.deepEqual(changes, ["It answered 500.", null]);
});

test("alarms of the log are told with their number, not more often than in ten minutes", async () => {
  const { look, alarms } = recorder();
  alarms.set("clock_jumped", 1);
  const first = "The alarm clock_jumped came: the log has its facts.";
  assert.deepEqual(await look(1_000), [["clock_jumped", "event", first]]);
  alarms.set("clock_jumped", 4);
  assert.deepEqual(await look(1_300), []);
  const later = "The alarm clock_jumped came 3 times: the log has its facts.";
  assert.deepEqual(await look(1_600), [["clock_jumped", "event", later]]);
});
