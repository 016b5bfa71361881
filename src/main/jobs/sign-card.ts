import { signCard } from "../../platform/ledger/seals/card-signatures.ts";
import { agentCard } from "../../surfaces/describe/agent-card.ts";
import { cardHash, keySetUrl, signaturesOf } from "../../surfaces/describe/card-signature.ts";
import type { Service } from "../service/open-service.ts";
import type { Job } from "./jobs.ts";

/** A new key signs the card soon after the seal of its rotation. */
const CARD_EVERY_MS = 60_000;

/** Keeps the agent card of this node signed, where it has the operator's current key. */
export function cardJob({ upkeep, signer }: Pick<Service, "upkeep" | "signer">): Job {
  const { baseUrl } = upkeep.settings;
  const card = agentCard(baseUrl);
  const sha256 = cardHash(card);
  return {
    name: "agent_card",
    every_ms: CARD_EVERY_MS,
    run: () =>
      signCard(upkeep, signer, sha256, (key) => signaturesOf(card, key, keySetUrl(baseUrl))),
  };
}
