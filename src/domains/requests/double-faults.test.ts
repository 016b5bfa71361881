import {
  by,
  type Call,
  type Fault,
  made,
  type Told,
  tellsFirst,
  unknown,
  unsigned,
} from "../../../test/double-faults.ts";
import { operate } from "../../../test/operator.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { HOUR_S } from "../../platform/kernel/time.ts";
import { banAgent } from "../identity/bans/bans.ts";
import { removeRequest } from "./intake.ts";
import {
  notItsAsker,
  requestAccepted,
  requestAnswer,
  requestMessage,
  requestRefused,
  requestWithdrawn,
  unknownRequest,
} from "./ledger.ts";
import { FOLLOW_UPS_MAX } from "./rules.ts";

/** A request that ends with an accepted answer, and those who ask and answer. */
interface Of {
  readonly request: number;
  readonly asker: TestAgent;
  readonly answerer: TestAgent;
}
type Asked = Call & Of;

const answer = async ({ answerer, request }: Of): Promise<number> =>
  (await made(answerer.post("/request/answer", { request_id: request, answer: "Done." }))).id;

const withAnswer = async (of: Of) => ({ answer_id: await answer(of) });
const withRequest = ({ request }: Of) => ({ request_id: request });

/** Calls of its asker, each about a request of its own. */
const asked =
  (
    { register, service: { context } }: Pick<TestService, "register" | "service">,
    path: string,
    fieldsOf: (of: Of) => Promise<object> | object,
  ) =>
  async (): Promise<Asked> => {
    const [asker, answerer] = [await register(), await register()];
    const closes_at = context.clock.now() + HOUR_S + 1;
    const sent = { text: "Translate it.", ends: "accepted", closes_at };
    const of = { request: (await made(asker.post("/request", sent))).id, asker, answerer };
    return { path, by: asker, ...of, body: { ...(await fieldsOf(of)) } };
  };

const noAnswer = unknown("answer_id", "answer_not_found");
const noRequest = unknown("request_id", unknownRequest);
const stranger = ({ register }: TestService) =>
  by<Asked>("a stranger", notItsAsker, () => register());
const over = ({ pass }: TestService): Fault<Asked> => ({
  name: "over",
  code: requestAccepted.refuses.ended,
  put: () => pass(2 * HOUR_S),
});
const withdrawn: Fault<Asked> = {
  name: "withdrawn",
  code: requestMessage.refuses.withdrawn,
  without: ["answered"],
  put: ({ asker, request }) => made(asker.post("/request/withdraw", { request_id: request })),
};
const accepted: Fault<Asked> = {
  name: "accepted",
  code: requestMessage.refuses.ended,
  without: ["withdrawn", "answered", "full", "over", "removed"],
  put: async (call) => made(call.asker.post("/request/accept", await withAnswer(call))),
};
const answered = (code: Told): Fault<Asked> => ({ name: "answered", code, put: answer });
const refused: Fault<Asked> = {
  name: "refused",
  code: requestRefused.refuses.answer,
  put: ({ asker, body: { answer_id } }) =>
    made(asker.post("/request/refuse", { answer_id, reason: "No." })),
};

eachEngine("of two faults in a judgement of an answer the first is told", async (service) => {
  const itsAgentIsBanned: Fault<Asked> = {
    name: "its agent is banned",
    code: requestAccepted.refuses.toBanned,
    put: ({ answerer: { agent_id } }) =>
      banAgent(service.service.context, { agent: agent_id, reason: "A test." }),
  };
  const removed: Fault<Asked> = {
    name: "removed",
    code: requestAccepted.refuses.withdrawn,
    put: ({ request }) => removeRequest(service.service.context, request),
  };
  const ofFirst: Fault<Asked> = {
    name: "an answer that has ended its request",
    code: requestAccepted.refuses.first,
    without: [noAnswer.name, removed.name, "over", "refused", "its agent is banned"],
    async put({ asker, answerer, body }) {
      const { id: request_id } = await made(asker.post("/request", { text: "Add." }));
      const answer = { request_id, answer: "Done." };
      body["answer_id"] = (await made(answerer.post("/request/answer", answer))).id;
    },
  };
  const faults = [noAnswer, stranger(service), ofFirst, removed, over(service), refused];
  await tellsFirst(service, {
    fresh: asked(service, "/request/accept", withAnswer),
    faults: [...faults, itsAgentIsBanned, unsigned],
  });
  const refusing = async (of: Of) => ({ ...(await withAnswer(of)), reason: "No." });
  await tellsFirst(service, {
    fresh: asked(service, "/request/refuse", refusing),
    faults: [...faults, unsigned],
  });
});

eachEngine("of two faults in a call of an asker the first is told", async (service) => {
  const first = [noRequest, stranger(service)];
  await tellsFirst(service, {
    fresh: asked(service, "/request/withdraw", withRequest),
    faults: [...first, accepted, answered(requestWithdrawn.refuses.waiting), unsigned],
  });
  await tellsFirst(service, {
    fresh: asked(service, "/request/want", (of) => ({ ...withRequest(of), wanted: false })),
    faults: [...first, withdrawn, accepted],
  });
  const full: Fault<Asked> = {
    name: "full",
    code: requestMessage.refuses.full,
    async put({ asker, request: request_id }) {
      for (let n = 0; n < FOLLOW_UPS_MAX; n++)
        await made(asker.post("/request/reply", { request_id, text: `Reply ${n}.` }));
    },
  };
  await tellsFirst(service, {
    fresh: asked(service, "/request/reply", (of) => ({ ...withRequest(of), text: "Prague's." })),
    faults: [...first, withdrawn, accepted, full],
  });
});

eachEngine("of two faults in an answer the first is told", async (service) => {
  const answering = asked(service, "/request/answer", (of) => ({
    ...withRequest(of),
    answer: "Done.",
  }));
  const removed: Fault<Asked> = {
    name: "removed",
    code: "text_removed",
    without: ["answered"],
    put: ({ request }) =>
      operate(service.service, "text hide", "request", `${request}`, "--rule", "R2"),
  };
  const own = by<Asked>("the asker", requestAnswer.refuses.asker, ({ asker }) => asker);
  await tellsFirst(service, {
    async fresh() {
      const call = await answering();
      return { ...call, by: call.answerer };
    },
    faults: [
      noRequest,
      withdrawn,
      accepted,
      over(service),
      own,
      { ...answered(requestAnswer.refuses.again), without: [own.name] },
      removed,
    ],
  });
});
