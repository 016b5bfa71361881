import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { CairnError } from "../src/client/error.ts";
import { connect } from "../src/client/index.ts";
import type { RunningService } from "./process.ts";
import { clientOf, ENGINES, type Engine, type Reply } from "./service.ts";
import { folderFor, sealed, siteFor, withoutDatabase } from "./site.ts";

const EVENTS = { accept: "text/event-stream" };
const CLIENTS = join(import.meta.dirname, "../clients/python");
const hasPython = spawnSync("python3", ["-c", "pass"]).status === 0;

const valueIn = ({ body }: Reply, name: string): number =>
  Number(body.details.find(({ field }: { field: string }) => field === name)?.problem);

/** What a tool answers. */
async function toolOf(url: string, token: string, name: string, args: object) {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  };
  const headers = { accept: "application/json, text/event-stream" };
  const { body } = await clientOf(url).post("/mcp", message, { token, headers });
  return JSON.parse(body.result.content[0].text);
}

/** A network that was restored from a backup, and where its readers were before. */
async function restored(t: TestContext, engine: Engine) {
  const site = await siteFor(t, engine);
  const service = await site.start();
  const { get, post } = clientOf(service.url);
  const { token } = (await post("/register", { handle: "ada" })).body;
  const { token: bob } = (await post("/register", { handle: "bob" })).body;
  const write = (at: RunningService, body: string) =>
    clientOf(at.url).post("/post", { body: `@ada ${body}` }, { token: bob });
  const box = async (at: RunningService, text: string): Promise<number> =>
    (await clientOf(at.url).post("/dm", { to: "ada", box: text }, { token: bob })).body.id;
  await write(service, "Kept.");
  await box(service, "kept");
  await sealed(service);
  const file = join(folderFor(t), "backup");
  const backup = await site.run("backup", file);
  assert.equal(backup.code, 0, backup.err);
  for (let n = 0; n < 20; n++) await write(service, `Lost ${n}.`);
  const lost_box = await box(service, "lost");
  await sealed(service);
  const { after_id, epoch } = (await get("/since?after_id=0&limit=1000")).body;
  assert.equal(epoch, 1);
  await service.stop("SIGTERM");
  const other = await withoutDatabase(t, site);
  const { code, out, err } = await other.run("restore", file, "--reason", "It died.", "--json");
  assert.equal(code, 0, err);
  const { loss } = JSON.parse(out);
  const again = await other.start();
  const more = async () => {
    for (let n = 0; n < 25; n++) await write(again, `New ${n}.`);
    await sealed(again);
  };
  return { token, service: again, after_id, lost_box, loss, box, more };
}

for (const engine of ENGINES) {
  test(`a reader that was ahead of a restore hears of it everywhere [${engine}]`, async (t) => {
    const { token, service, after_id, loss, more } = await restored(t, engine);
    const { url } = service;
    const { get } = clientOf(url);
    const network = connect({ baseUrl: url, token });
    const refusals = async (place: string): Promise<readonly Reply[]> => [
      await get(`/since?${place}`),
      await get(`/since?${place}&wait=25&kinds=post`),
      await get(`/since?${place}`, { headers: EVENTS }),
      await get(`/inbox?${place}`, { token }),
      await get(`/inbox?${place}`, { token, headers: EVENTS }),
    ];
    const ahead = `after_id=${after_id}`;
    const told = [
      ...(await refusals(ahead)),
      await get("/since", { headers: { ...EVENTS, "last-event-id": `${after_id}` } }),
      await get("/inbox", { token, headers: { ...EVENTS, "last-event-id": `${after_id}` } }),
    ];
    const demandTold = (replies: readonly Reply[]) => {
      for (const reply of replies) {
        assert.deepEqual([reply.status, reply.body.error], [409, "position_ahead"]);
        assert.equal(valueIn(reply, "read_after_id"), loss.lost_after_id);
        assert.equal(valueIn(reply, "restored_id"), loss.lost_after_id + 1);
        assert.match(reply.body.message, /tells of the restore/);
      }
    };
    demandTold(told);
    const tools = async (place: object) => [
      (await toolOf(url, token, "changes_since", place)).error,
      (await toolOf(url, token, "inbox_list", place)).error,
    ];
    assert.deepEqual(await tools({ after_id }), ["position_ahead", "position_ahead"]);
    const isTold = (error: unknown) =>
      error instanceof CairnError && error.code === "position_ahead" && error.status === 409;
    await assert.rejects(network.follow({ after_id }).next(), isTold);
    await assert.rejects(network.inbox({ after_id }).next(), isTold);

    await more(); // Now the same ids are other entries.
    assert.equal(
      (await get(`/since?${ahead}`)).status,
      200,
      "an id alone tells nothing of its epoch",
    );
    demandTold(await refusals(`${ahead}&epoch=1`));
    assert.deepEqual(await tools({ after_id, epoch: 1 }), ["position_ahead", "position_ahead"]);
    await assert.rejects(network.follow({ after_id, epoch: 1 }).next(), isTold);
    await assert.rejects(network.inbox({ after_id, epoch: 1 }).next(), isTold);
    const kept = await get(`/since?after_id=${loss.lost_after_id}&epoch=1`);
    assert.deepEqual([kept.status, kept.body.epoch], [200, 2], "what was kept is as it was");
    assert.equal((await get(`/since?${ahead}&epoch=2`)).status, 200);
    let epoch = 0;
    const onEpoch = (heard: number) => {
      epoch = heard;
    };
    const first = await network.follow({ after_id: loss.lost_after_id, onEpoch }).next();
    assert.deepEqual([first.value?.kind, epoch], ["ledger_restored", 2]);
    if (!hasPython) return t.diagnostic("There is no python3.");
    const program = `
from cairn import Cairn, CairnError
network, heard = Cairn("${url}"), []
print(next(network.follow(${loss.lost_after_id}, on_epoch=heard.append))["kind"], heard)
try: next(network.follow(${after_id}, epoch=1))
except CairnError as error: print(error.code, error.status)`;
    const options = { env: { ...process.env, PYTHONPATH: CLIENTS, PYTHONDONTWRITEBYTECODE: "1" } };
    const { stdout } = await promisify(execFile)("python3", ["-c", program], options);
    assert.equal(stdout, "ledger_restored [2]\nposition_ahead 409\n");
  });

  test(`boxes after a restore come after those that were lost [${engine}]`, async (t) => {
    const { token, service, lost_box, box } = await restored(t, engine);
    const { get } = clientOf(service.url);
    const read = async (after_id: number) => get(`/dm?after_id=${after_id}`, { token });
    const { after_id, after_message_id } = (await get("/inbox", { token })).body;
    assert.ok(after_message_id < lost_box);
    const ids = [await box(service, "one"), await box(service, "two")];
    assert.ok(
      ids.every((id) => id > lost_box + 1_000_000 - 2),
      `${ids}`,
    );
    assert.equal(ids[1], Number(ids[0]) + 1);
    const { body } = await read(lost_box);
    assert.deepEqual(
      body.messages.map(({ id }: { id: number }) => id),
      ids,
    );
    const place = `after_id=${after_id}&after_message_id=${lost_box}`;
    assert.equal((await get(`/inbox?${place}&wait=25`, { token })).body.after_message_id, ids[1]);
    assert.deepEqual((await read(Number(ids[1]))).body.messages, []);
    const beyond = await read(Number(ids[1]) + 1);
    assert.deepEqual([beyond.status, beyond.body.error], [409, "position_ahead"]);
  });
}
