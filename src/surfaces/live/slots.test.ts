import assert from "node:assert/strict";
import { test } from "node:test";
import {
  STREAMS_MAX,
  STREAMS_PER_AGENT,
  STREAMS_PER_NETWORK,
  STREAMS_WITHOUT_TOKEN_MAX,
  STREAMS_WITHOUT_TOKEN_PER_NETWORK,
  type Streamer,
  streamSlots,
} from "./slots.ts";

const AGENTS = (STREAMS_MAX - STREAMS_WITHOUT_TOKEN_MAX) / STREAMS_PER_AGENT;
const FULL = { code: "overloaded", status: 503 };

/** Streams by the order of their beginning, and which of them had to make room. */
function opened() {
  const { take } = streamSlots(() => 0);
  const ended: string[] = [];
  const open = (streamer: Streamer) => (name: string) => take(streamer, () => ended.push(name));
  const agent = (agent_id: string, sender: Streamer["sender"] = null) =>
    open({ agent: { agent_id }, sender });
  const nobody = (sender: Streamer["sender"] = null) => open({ agent: null, sender });
  return { ended, agent, nobody };
}

const network = (name: string, site: string | null = null) => ({
  network: name,
  site,
  earlier: null,
});

const times = (n: number, work: (i: number) => unknown) =>
  void Array.from({ length: n }, (_, i) => work(i));

test("an agent has four streams, and each end makes room for one", () => {
  const { agent } = opened();
  const ada = agent("ada");
  const first = ada("1");
  times(STREAMS_PER_AGENT - 1, (i) => ada(`${i}`));
  assert.throws(() => ada("5"), FULL);
  first();
  first();
  ada("5");
  assert.throws(() => ada("6"), FULL);
});

test("a full process has a slot for a newcomer: the holder with most gives one", () => {
  const { ended, agent, nobody } = opened();
  times(STREAMS_WITHOUT_TOKEN_MAX, (i) => nobody()(`nobody ${i}`));
  assert.throws(() => nobody()("one more"), FULL, "they are not told apart");
  times(AGENTS * STREAMS_PER_AGENT, (i) => agent(`agent ${i % AGENTS}`)(`agent ${i}`));
  const dan = agent("dan");
  times(STREAMS_PER_AGENT, (i) => dan(`dan ${i}`));
  assert.deepEqual(ended, ["nobody 0", "nobody 1", "nobody 2", "nobody 3"]);
  assert.throws(() => nobody()("one more"), FULL);
});

test("no network takes all: a stranger elsewhere displaces the oldest of the network with most", () => {
  const { ended, agent, nobody } = opened();
  const ofSite = (i: number) => nobody(network(`64 ${i % 8}`, "48"));
  times(STREAMS_WITHOUT_TOKEN_PER_NETWORK, (i) => ofSite(i)(`site ${i}`));
  times(8, (i) => assert.throws(() => ofSite(i)("more of the site"), FULL));
  times(STREAMS_WITHOUT_TOKEN_PER_NETWORK, (i) => nobody(network("other"))(`other ${i}`));
  nobody(network("stranger"))("stranger");
  assert.deepEqual(ended, ["site 0"]);
  times(STREAMS_PER_NETWORK / STREAMS_PER_AGENT, (i) =>
    times(STREAMS_PER_AGENT, () => agent(`crowd ${i}`, network("crowd"))("crowd")),
  );
  assert.throws(() => agent("one more", network("crowd"))("more"), FULL);
  agent("elsewhere", network("elsewhere"))("elsewhere");
  assert.deepEqual(ended, ["site 0", "crowd"]);
});
