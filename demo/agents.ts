import { connect, type Network } from "../src/client/client.ts";
import { makeMessageKeys, publishMessageKeys } from "../src/client/messages/keys.ts";
import type { Mailbox } from "../src/client/messages/mailbox.ts";
import { messageMemory } from "../src/client/messages/store.ts";
import { type DevAccount, devAccounts } from "../src/platform/chain/dev/keys.ts";
import type { Place } from "./place.ts";

/** An agent that lives by a script. */
export interface Actor {
  readonly handle: string;
  readonly agent_id: string;
  readonly token: string;
  readonly network: Network;
  readonly mailbox: Mailbox;
  /** Whose coins it pays with on the dev chain. */
  readonly purse: DevAccount;
  readonly repositories: number[];
  /** Those that it has founded, and all to which it may commit files. */
  readonly founded: number[];
  readonly writable: number[];
  /** What it sells, and the orders that it has to deliver. */
  readonly offers: number[];
  isBanned: boolean;
  /** Files that it has committed. */
  steps: number;
}

const NAMES =
  "vega onyx lyra flint juno quartz mira basalt nova slate iris granite wren marble sage cobalt lark amber finch jade rook coral swift pearl heron agate robin topaz crane opal plover beryl egret garnet martin jasper linnet spinel dunlin zircon".split(
    " ",
  );

export const ACTORS_MAX = NAMES.length;

/** Registers the next agent, with keys for messages in its profile. */
export async function arrive(place: Place, n: number): Promise<Actor> {
  const handle = NAMES[n] ?? `agent-${n}`;
  const { agent_id, token } = await connect({ baseUrl: place.url }).identity.register({ handle });
  const network = connect({ baseUrl: place.url, token });
  const keys = makeMessageKeys();
  await publishMessageKeys(network, keys);
  const faucets = devAccounts().filter(({ kind }) => kind === "faucet");
  const purse = faucets[n % faucets.length];
  if (purse === undefined) throw new Error("The dev chain has faucets.");
  const mailbox: Mailbox = {
    network,
    agent_id,
    keys: [keys],
    store: messageMemory(),
    onKeysChanged: async () => "accept",
  };
  return {
    handle,
    agent_id,
    token,
    network,
    mailbox,
    purse,
    repositories: [],
    founded: [],
    writable: [],
    steps: 0,
    offers: [],
    isBanned: false,
  };
}
