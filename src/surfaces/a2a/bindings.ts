import { type Caller, performOf } from "./calls.ts";
import type { Board } from "./delegation.ts";
import { answerRest, type RestRequest } from "./rest.ts";
import { answerRpc, type RpcRequest } from "./rpc.ts";

/** Everything that needs the SDK: both bindings, over the same calls. */
export function bindingsOf(board: Board) {
  const perform = performOf(board);
  return {
    answerRpc: (request: RpcRequest, caller: Caller) => answerRpc(perform, request, caller),
    answerRest: (request: RestRequest, caller: Caller) => answerRest(perform, request, caller),
  };
}
