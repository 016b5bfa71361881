import { Client, type ClientConfig } from "pg";
import { type Servers, serversIn } from "./url.ts";

/** A server that only follows another; the next one is tried. */
class Standby extends Error {
  constructor() {
    super("it is a standby, and none of the servers takes writes.");
    this.name = "Standby";
  }
}

/** Rejects with `Standby` when the server follows another and must not. */
export async function demandServer(
  client: Pick<Client, "query">,
  demands: Servers["demands"],
): Promise<void> {
  if (demands === "any") return;
  const { rows } = await client.query<{ is_standby: unknown }>(
    "SELECT pg_is_in_recovery()::integer AS is_standby",
  );
  if (Number(rows[0]?.is_standby) !== 0) throw new Standby();
}

/**
 * What every session says, because a role or a database may have it otherwise: how bytes come back, and that a
 * list may hold NULL.
 */
export const PINNED = "SET bytea_output = hex; SET array_nulls = on";

/** One connection to the first server that can be used. Rejects with what the last one said. */
export async function connectFirst(url: string, config: ClientConfig): Promise<Client> {
  const { urls, demands } = serversIn(url);
  let failure: unknown;
  for (const connectionString of urls) {
    const client = new Client({ ...config, connectionString });
    client.on("error", () => {}); // The running query reports it; an unhandled error event would end the process.
    try {
      await client.connect();
      await demandServer(client, demands);
      await client.query(PINNED);
      return client;
    } catch (error) {
      failure = error;
      await client.end();
    }
  }
  throw failure;
}
