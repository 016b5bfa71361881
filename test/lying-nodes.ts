import { accountText } from "../src/platform/chain/account.ts";
import { type Fault, honest } from "../src/platform/chain/dev/node.ts";
import { dev } from "./chain-service.ts";

const CAROL = accountText(dev("carol").key);
const INVENTED = `${"F".repeat(62)}01`;

/** Lists a transfer that nobody has, with an amount or without. */
export const lists =
  (amount: string | null): Fault =>
  (action, answer, request) => {
    if (action !== "receivable") return honest(action, answer, request);
    if (amount === null) return honest(action, { blocks: [INVENTED] }, request);
    const blocks = Object(Object(answer).blocks);
    const isFirst = JSON.parse(request).offset === "0";
    const invented = isFirst ? { [INVENTED]: { amount, source: CAROL } } : {};
    return honest(action, { blocks: { ...blocks, ...invented } }, request);
  };

/** Says that it forgets blocks, so that it need not show what it tells of. */
export const forgetful =
  (fault: Fault): Fault =>
  (action, answer, request) =>
    action === "block_count"
      ? honest(action, { ...answer, pruned: "100000" }, request)
      : fault(action, answer, request);

/** Puts a block that nobody has before the account's newest. */
export const heads: Fault = (action, answer, request) => {
  const { history } = Object(answer);
  if (action !== "account_history" || !Array.isArray(history))
    return honest(action, answer, request);
  const block = { hash: "E".repeat(64), type: "state", subtype: "send", account: CAROL };
  const invented = { ...block, amount: `1${"0".repeat(30)}`, local_timestamp: "0", height: "9" };
  return honest(action, { ...answer, history: [invented, ...history] }, request);
};
