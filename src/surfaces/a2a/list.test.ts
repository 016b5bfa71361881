import assert from "node:assert/strict";
import { message, speakerOf } from "../../../test/a2a.ts";
import { eachEngine, type TestService } from "../../../test/service.ts";

// Checks of the public compatibility kit (a2aproject/a2a-tck, branch 1.0-dev), by its names.

/** Five tasks, three of which have changed since. */
async function fiveTasks(service: TestService) {
  const [ada, bob] = [await service.register(), await service.register()];
  const speaker = speakerOf(service, ada);
  const { call, delegate } = speaker;
  const ids: string[] = [];
  for (const contextId of ["a", "a", "b", "b", "b"]) ids.push((await delegate({ contextId })).id);
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = ids;
  service.pass(10);
  await bob.post("/request/answer", { request_id: second, answer: "Yes." });
  await call("CancelTask", { id: third });
  await call("SendMessage", { message: message({ taskId: first, parts: [{ text: "More." }] }) });
  const order = [third, second, fifth, fourth, first];
  const list = async (params: object = {}) => (await call("ListTasks", params)).result;
  return { ...speaker, list, order, first, second, third };
}

const idsIn = ({ tasks }: { tasks: { id: string }[] }) => tasks.map(({ id }) => id);

eachEngine("LIST: the newest status first, in pages", async (service) => {
  const bob = speakerOf(service, await service.register());
  const none = (await bob.call("ListTasks", {})).result;
  assert.deepEqual(none, { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 });
  assert.deepEqual((await bob.rest("GET", "/tasks")).body, none);

  const { list, rest, order } = await fiveTasks(service);
  for (const pageSize of [1, 2, 5]) {
    const seen: string[] = [];
    for (let pageToken = ""; seen.length < order.length; ) {
      const page = await list({ pageSize, pageToken });
      const query = new URLSearchParams({ pageSize: `${pageSize}`, pageToken });
      assert.deepEqual((await rest("GET", `/tasks?${query}`)).body, page);
      assert.deepEqual([page.pageSize, page.totalSize], [pageSize, order.length]);
      seen.push(...idsIn(page));
      pageToken = page.nextPageToken;
      assert.equal(pageToken === "", seen.length === order.length);
    }
    assert.deepEqual(seen, order);
  }
});

eachEngine("LIST: filters", async (service) => {
  const { list, call, rest, order, first, second, third } = await fiveTasks(service);
  const filters: readonly (readonly [Record<string, string>, readonly string[]])[] = [
    [{}, order],
    [{ contextId: "a" }, [second, first]],
    [{ contextId: "nobody's" }, []],
    [{ status: "TASK_STATE_SUBMITTED" }, order.slice(2)],
    [{ status: "TASK_STATE_COMPLETED", contextId: "a" }, [second]],
    [{ status: "TASK_STATE_COMPLETED", contextId: "b" }, []],
    [{ status: "TASK_STATE_CANCELED" }, [third]],
    [{ status: "TASK_STATE_REJECTED" }, []],
    [{ status: "TASK_STATE_WORKING" }, []],
    [{ status: "UNRECOGNIZED" }, order],
    [{ statusTimestampAfter: "2027-01-15T08:00:10Z" }, [third, second]],
    [{ statusTimestampAfter: "2027-01-15T09:00:09.5+01:00" }, [third, second]],
    [{ statusTimestampAfter: "2027-01-15T08:00:10.001Z" }, []],
  ];
  for (const [filter, expected] of filters) {
    const found = await list(filter);
    assert.deepEqual([idsIn(found), found.totalSize], [expected, expected.length]);
    const query = new URLSearchParams(filter);
    assert.deepEqual((await rest("GET", `/tasks?${query}`)).body, found);
  }
  for (const params of [
    { pageSize: 0 },
    { pageSize: 101 },
    { pageSize: 1.5 },
    { pageSize: "many" },
    { pageToken: "x" },
    { pageToken: "MTowOjA" },
    { historyLength: -5 },
    { status: "TASK_STATE_RUNNING" },
    { statusTimestampAfter: "yesterday" },
    { statusTimestampAfter: "2027-02-30T00:00:00Z" },
  ])
    assert.equal((await call("ListTasks", params)).error?.code, -32602, JSON.stringify(params));
});

eachEngine("LIST: artifacts and messages come only when wanted", async (service) => {
  const { list, rest, order, first, second } = await fiveTasks(service);
  const plain = await list();
  assert.ok(plain.tasks.every((task: object) => !("artifacts" in task) && !("history" in task)));
  const rich = await list({ includeArtifacts: true, historyLength: 3 });
  const texts = (parts: { parts: { text: string }[] }[]) => parts.map((one) => one.parts[0]?.text);
  assert.deepEqual(
    rich.tasks.map(({ artifacts }: { artifacts: [] }) => texts(artifacts)),
    order.map((id) => (id === second ? ["Yes."] : [])),
  );
  assert.deepEqual(
    rich.tasks.map(({ history }: { history: [] }) => texts(history)),
    order.map((id) => [id === first ? "More." : "Do this."]),
    "of each the newest message",
  );
  const query = "includeArtifacts=true&historyLength=3&status=&pageSize=";
  assert.deepEqual((await rest("GET", `/tasks?${query}`)).body, rich);
});
