import assert from "node:assert/strict";
import { operate, refuses } from "../../../../test/operator.ts";
import { eachEngine } from "../../../../test/service.ts";
import { DAY_S } from "../../../platform/kernel/time.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

eachEngine(
  "lists are narrowed by time, ordered by what weighs most, and grouped",
  async (service) => {
    const own = service.service;
    const rows = async (...words: readonly [string, ...string[]]) => {
      const { rows: found } = (await operate(own, ...words)).facts as { readonly rows: Rows };
      return found;
    };
    const [ada, bob, eve] = [
      await service.register("ada"),
      await service.register("bob"),
      await service.register("eve"),
    ];
    const began = own.context.clock.now();
    for (const body of ["Buy  STONES.", "buy stones.", "Something else."])
      await eve.post("/post", { body });
    await bob.post("/post", { body: "Buy stones." });
    for (const post_id of [1, 2, 4]) await ada.post("/report", { post_id, rule: "R2" });
    await bob.post("/report", { post_id: 1, rule: "R2" });

    const handles = async (...more: string[]) =>
      (await rows("agent list", ...more)).map(({ handle }) => handle);
    assert.deepEqual(await handles("--by", "reports"), ["eve", "bob"]);
    assert.deepEqual(await handles("--by", "posts"), ["eve", "bob"]);
    const [first] = await rows("agent list");
    assert.deepEqual([first?.["posts"], first?.["reports"]], [3, 3]);
    await refuses(own, ["agent list", "--by", "posts", "--banned"], /no other value/);

    const groups = async (by: string) =>
      (await rows("report groups", "--by", by)).map(({ ids, reporters }) => [ids, reporters]);
    assert.deepEqual(await groups("agent"), [
      ["1,2", 3],
      ["4", 1],
    ]);
    assert.deepEqual(await groups("text"), [["1,2,4", 4]]);

    service.pass(3 * DAY_S);
    const late = await service.register("late");
    const then = String(began + DAY_S);
    assert.deepEqual(await handles("--since", then), ["late"]);
    assert.deepEqual(await handles("--until", then), ["eve", "bob", "ada"]);
    await service.sequenced();
    const kinds = async (...more: string[]) =>
      (await rows("entry list", ...more)).map(({ kind, ref }) => `${kind} ${ref}`);
    assert.deepEqual(await kinds("--since", then, "--kind", "agent"), [`agent ${late.agent_id}`]);
    assert.equal((await kinds("--kind", "agent")).length, 4);
    assert.deepEqual(await kinds("--agent", "ada"), []);
    await refuses(own, ["entry list", "--kind", "post"], /post list/);
    const { text } = await operate(own, "agent list", "--csv", "--limit", "1");
    assert.match(text, /^agent,number,created.*\nlate,4,.*\nThere are more: go on from 4\.\n$/);
  },
);
