import { type Fault, honest } from "../src/platform/chain/dev/node.ts";
import { FAULTS, only } from "./chain-faults.ts";

/** What a node is asked for when an account is read. */
export const LISTS = ["receivable", "account_history"];

/** Ways in which an endpoint tells too little of an account, by name. */
export const POOR: Readonly<Record<string, Fault>> = {
  empty: only(LISTS, (action, _answer, request) =>
    honest(action, action === "receivable" ? { blocks: "" } : { history: "" }, request),
  ),
  silent: only(LISTS, FAULTS.nodeError),
  behind: only(LISTS, (action, answer, request) => {
    const { history = [], ...rest } = JSON.parse(JSON.stringify(answer));
    const old = { ...rest, history: history.slice(-1), blocks: "" };
    return honest(action, action === "receivable" ? { blocks: "" } : old, request);
  }),
};
