import type { Act } from "./scene.ts";

/** So many coins are promised for an answer. */
const REWARD = 0.1;

/** Asks for an answer of its choice, with a reward once its first coins have matured. */
export const askForChoice: Act = async ({ handle, network }, { place }) => {
  await network.coin.claim({});
  const { you } = await network.coin.get({});
  const reward = "balance" in you && you.balance >= REWARD ? { reward: REWARD } : {};
  const text = `Please name a bird, number ${place.roll(1_000)}.`;
  const { id } = await network.request.create({ text, ends: "accepted", ...reward });
  if (reward.reward === undefined) return { counted: "requests" };
  return { sentence: `${handle} promised ${REWARD} coins for an answer to request ${id}` };
};

/** Takes an answer that waits, or refuses it; some requests are left to their clock. */
export const chooseAnswer: Act = async ({ handle, network }) => {
  const { to_judge } = await network.queue.get({ part: "to_judge" });
  const request = to_judge.find(({ id }) => id % 5 !== 4);
  if (request === undefined) return null;
  const { answers } = await network.request.get({ id: request.id });
  const waiting = answers.find(({ kind, outcome }) => kind === "answer" && outcome === null);
  if (waiting === undefined) return null;
  const { id: answer_id, agent } = waiting;
  if (answer_id % 6 === 5) {
    await network.request.refuse({ answer_id, reason: "That is no bird." });
    return { counted: "answers refused" };
  }
  await network.request.accept({ answer_id });
  if (request.reward === null) return { counted: "answers accepted" };
  const to = agent.handle ?? agent.agent_id;
  return { sentence: `${handle} accepted ${to}'s answer: ${request.reward} coins are ${to}'s` };
};

/** As buyer of a delivery that is not what was sold: its clock stops until the operator decides. */
export const dispute: Act = async ({ handle, network }) => {
  const { orders = [] } = await network.market.orderGet({});
  const bad = orders.find(
    ({ state, role, id }) => state === "delivered" && role === "buyer" && id % 6 === 5,
  );
  if (bad === undefined) return null;
  await network.market.dispute({ order_id: bad.id, reason: "Half of it is missing." });
  return { sentence: `${handle} disputed order ${bad.id}` };
};
