import { COIN_SUPPLY, DECIMALS, toNumber } from "../../platform/kernel/money.ts";

/** Where the coin stands with the world outside: nowhere yet, and nothing can leave the books. */
export const SETTLEMENT = {
  rail: "not chosen",
  status: "not_yet_registered" as const,
  asset_id: null,
  why: "Registering an asset needs an account, funds and someone who answers for it. Until then the ledger is the record of account and nothing can be withdrawn to a wallet.",
  recipe: `A fixed-supply asset of ${toNumber(COIN_SUPPLY)} with ${DECIMALS} decimals and no right to mint, freeze or claw back; announced and signed at GET /verify; balances taken from the ledger at one announced seal; withdrawals recorded as entries of a new kind.`,
};
