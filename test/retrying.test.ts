import assert from "node:assert/strict";
import { CairnError, connect } from "../src/client/index.ts";
import { dice } from "./dice.ts";
import { eachEngine, type TestService } from "./service.ts";

/** How a call fails: its answer is lost after it was done, or the request never arrives. */
type Loss = "answer" | "request" | null;

/** A fetch that loses some writes. When a request never arrives, two minutes pass. */
const losing =
  (service: TestService, lossOf: () => Loss): typeof fetch =>
  async (url, init) => {
    if (init?.method !== "POST") return fetch(url, init);
    const loss = lossOf();
    if (loss === "request") {
      service.pass(120);
      throw new TypeError("The connection was refused.");
    }
    const answer = await fetch(url, init);
    if (loss !== "answer") return answer;
    await answer.text();
    throw new TypeError("The connection was reset.");
  };

const ROUNDS = 1_000;
const AT_ONCE = 20;

eachEngine("1,000 writes whose answers are lost make exactly 1,000 objects", async (service) => {
  const ada = await service.register("ada");
  const roll = dice("lost answers");
  const lossOf = (): Loss => (roll(2) === 0 ? "answer" : null);
  const connection = { baseUrl: service.url, token: ada.token };
  const network = connect({ ...connection, fetch: losing(service, lossOf) });
  const retrying = network.retrying();
  let recovered = 0;
  const ids = new Set<number>();
  for (let i = 0; i < ROUNDS; i += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const made = await retrying.post.create({ body: "A stone." });
        if ("recovered" in made) recovered++;
        ids.add("recovered" in made ? Number(made.recovered.id) : made.id);
      }),
    );
  assert.equal(ids.size, ROUNDS);
  assert.ok(recovered > ROUNDS / 3, `${recovered} were looked up`);
  assert.equal(await sequencedPosts(service), ROUNDS);
});

async function sequencedPosts(service: TestService): Promise<number> {
  await service.sequenced();
  return (await service.get("/stats")).body.posts;
}

eachEngine("a write that never arrived is sent again once it can come no more", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const losses: Loss[] = ["request", "request", "answer"];
  const fetch = losing(service, () => losses.shift() ?? null);
  const network = connect({ baseUrl: service.url, token: ada.token, fetch });
  const made = await network.retrying().repo.create({ name: "Bridges", mission: "Carry." });
  assert.ok("recovered" in made);
  assert.equal(made.recovered.path, "/repo");
  await service.sequenced();
  assert.equal((await service.get("/repos")).body.total, 1);
  const joined = await connect({ baseUrl: service.url, token: bob.token })
    .retrying()
    .repo.join({ repo_id: Number(made.recovered.id) });
  assert.ok("membership" in joined);
});

eachEngine("a write that is refused for a while is sent again without a look", async (service) => {
  const ada = await service.register("ada");
  const asked: string[] = [];
  let refusals = 2;
  const busy: typeof fetch = async (url, init) => {
    asked.push(`${init?.method} ${new URL(String(url)).search}`);
    if (init?.method !== "POST" || refusals-- <= 0) return fetch(url, init);
    const body = { ok: false, error: "overloaded", message: "Busy.", request_id: "r" };
    return Response.json(body, { status: 503, headers: { "retry-after": "0" } });
  };
  const network = connect({ baseUrl: service.url, token: ada.token, fetch: busy });
  const retrying = network.retrying();
  for (const body of ["One.", "Two.", "Three."])
    assert.ok("post" in (await retrying.post.create({ body })));
  assert.equal(await sequencedPosts(service), 3);
  assert.deepEqual(
    asked.filter((line) => line.includes("client_ref")),
    [],
    "nothing was looked for",
  );
  assert.equal(asked.length, 3 + 2 + 2 + 1, "the time is asked for once, and after each refusal");
});

eachEngine(
  "a client that does not look writes once with a client_ref, and twice without",
  async (service) => {
    const ada = await service.register("ada");
    for (const [client_ref, posts] of [
      ["mine", 1],
      [undefined, 3],
    ] as const) {
      const losses: Loss[] = ["answer", null];
      const fetch = losing(service, () => losses.shift() ?? null);
      const network = connect({ baseUrl: service.url, token: ada.token, fetch });
      const post = () => network.post.create({ body: "A stone.", client_ref });
      await assert.rejects(post, ({ code }: CairnError) => code === "unreachable");
      await post();
      assert.equal(await sequencedPosts(service), posts);
    }
  },
);

eachEngine("a refusal of the request itself is the caller's, at once", async (service) => {
  const ada = await service.register("ada");
  const retrying = connect({ baseUrl: service.url, token: ada.token }).retrying();
  const refused = (code: string) => (error: unknown) =>
    error instanceof CairnError && error.code === code;
  await assert.rejects(retrying.post.create({ body: "" }), refused("validation_failed"));
  await assert.rejects(retrying.post.create({ body: "x", reply_to: 9 }), refused("post_not_found"));
});

eachEngine("a follower and an inbox go on after an outage", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const { body: post } = await ada.post("/post", { body: "Who?" });
  let outages = 2;
  const flaky: typeof fetch = async (url, init) => {
    if (outages > 0 && String(url).includes("after_")) {
      outages--;
      throw new TypeError("The connection was reset.");
    }
    return fetch(url, init);
  };
  const network = connect({ baseUrl: service.url, token: ada.token, fetch: flaky });
  const heard: number[] = [];
  const failures: number[] = [];
  const onRetry = ({ failures: n }: { failures: number }) => failures.push(n);
  const unread: number[] = [];
  const following = (async () => {
    const options = { after_id: 0, onRetry, onMessages: (n: number) => unread.push(n) };
    for await (const item of network.inbox(options)) {
      heard.push(item.id);
      if (heard.length === 3) return;
    }
  })();
  for (let i = 0; i < 3; i++) await bob.post("/post", { body: `Reply ${i}.`, reply_to: post.id });
  await bob.post("/dm", { to: "ada", box: "sealed" });
  await service.sequenced();
  await following;
  assert.deepEqual(failures, [1, 2]);
  assert.equal(new Set(heard).size, 3);

  outages = 1;
  const ids: number[] = [];
  for await (const change of network.follow({ onRetry })) {
    ids.push(change.id);
    if (ids.length === 6) break;
  }
  assert.deepEqual(ids, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(failures, [1, 2, 1]);
});
