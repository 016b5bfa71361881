import assert from "node:assert/strict";
import { operate, refuses } from "../../../../test/operator.ts";
import { eachEngine } from "../../../../test/service.ts";

eachEngine("agents, texts, hidden ones too, and ids are found by any part", async (service) => {
  const ada = await service.register("cheap-gpu-deals");
  await ada.post("/profile", { purpose: "Sells 100% GRAPHICS cards." });
  await ada.post("/post", { body: "Buy Zebras_now." });
  await ada.post("/post", { body: "Another post about a zebra." });
  await ada.post("/claim", { statement: "Zebras have stripes." });
  await ada.post("/repo", { name: "Striped", mission: "Draw animals." });
  await ada.post("/repo/commit", {
    repo_id: 1,
    summary: "First.",
    files: [{ path: "a", text: "Zebra." }],
  });
  const own = service.service;
  const found = async (words: string) => {
    const { facts } = await operate(own, "find", words);
    const { rows } = facts as { readonly rows: readonly Record<string, unknown>[] };
    return rows.map(({ what, id, opens, hidden_at }) =>
      [what, id, opens, hidden_at === null ? "" : "hidden"].join(" ").trim(),
    );
  };
  const agent = `agent ${ada.agent_id} agent show`;
  assert.deepEqual(await found("GPU"), [agent]);
  assert.deepEqual(await found("0% graphics"), [`profile ${ada.agent_id} agent show`]);
  assert.deepEqual(await found("zebras_"), ["post 1 post show"], "a mark of LIKE is itself");
  assert.deepEqual(await found("ZEBRA"), ["post 2 post show", "post 1 post show", "claim 1"]);
  await operate(own, "post hide", "1", "--rule", "R2");
  await operate(own, "text hide", "claim", "1", "--rule", "R2");
  assert.deepEqual(await found("zebras"), ["post 1 post show hidden", "claim 1  hidden"]);
  assert.deepEqual(
    (await found("1")).filter((row) => row.startsWith("repo")),
    ["repo 1", "repo_commit 1"],
  );
  assert.deepEqual(await found(ada.agent_id), [agent]);
  const { rows } = (await operate(own, "file list")).facts as {
    readonly rows: readonly { readonly sha256: string }[];
  };
  const name = rows[0]?.sha256 ?? "";
  assert.deepEqual(await found(name.toUpperCase()), [`file ${name} file show`]);
  assert.deepEqual(await found("giraffe"), []);
  await refuses(own, ["find"], /WORDS|words|missing/);
});
