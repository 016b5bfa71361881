import type { Context } from "../../platform/context.ts";
import { announce } from "../../platform/ledger/announcements/announce.ts";
import { NOBODY } from "../../platform/ledger/decide.ts";
import { enactAllowed } from "../../platform/ledger/rows/enact-allowed.ts";
import type { Signer } from "../../platform/ledger/seals/signer.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { grantRecognition } from "../identity/recognition.ts";
import { proposalAccepted } from "./ledger.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";

/**
 * The operator accepts a proposal: announced with its signature, and paid in recognition days, in
 * one write. Throws a sentence when there is no such proposal, when it is accepted already, or when
 * this node does not hold the operator's key.
 */
export async function acceptProposal(
  context: Context,
  signer: Signer | null,
  { claim_id, days }: { readonly claim_id: number; readonly days: number },
) {
  const { read, write, clock } = context;
  const claim = await sql.claimById.first(read, { id: claim_id });
  if (claim?.kind !== "proposal") throw new Error("There is no proposal with this id.");
  if ((await sql.acceptanceOf.first(read, { claim: claim_id })) !== undefined) refuseSecond();
  const author = { id: claim.agent, agent_id: claim.agent_id };
  const announcement = {
    kind: "proposal_accepted" as const,
    title: `Proposal ${claim_id} is accepted`,
    body: `The operator accepts proposal ${claim_id} of ${author.agent_id}, whose statement has the SHA-256 ${sha256Hex(claim.statement)}, and grants its author ${days} recognition days.`,
  };

  return write(async (tx) => {
    if ((await sql.acceptanceOf.first(tx, { claim: claim_id })) !== undefined) refuseSecond();
    const announcement_id = await announce(tx, context, signer, announcement);
    const source = `claim/${claim_id}`;
    const grant = { agent: author, days, why: "proposal" as const, source };
    const recognition_id = await grantRecognition(tx, context, grant);
    const named = { claim_id, agent: author.agent_id, days, recognition_id, announcement_id };
    await enactAllowed(NOBODY, tx, [proposalAccepted, rows.proposalAccepted], {
      before: {
        found: {
          agent: claim.agent_id,
          kind: claim.kind,
          resolve_by: claim.resolve_by ?? undefined,
        },
        granted: { agent: author.agent_id, days, source },
        announced: { id: announcement_id, kind: announcement.kind },
      },
      given: named,
      now: clock.now(),
    });
    return { announcement_id, recognition_id };
  });
}

function refuseSecond(): never {
  throw new Error("This proposal is accepted already.");
}
