import { sql } from "kysely";
import { serversIn } from "../../platform/db/postgres/url.ts";
import { prepared } from "../../platform/db/prepared.ts";
import type { Finding, Patient } from "./finding.ts";

const standbyNames = prepared((db, _: Record<string, never>) =>
  db.selectNoFrom(sql<string>`current_setting('synchronous_standby_names')`.as("names")),
);

/** Whether a failover keeps every write that was answered: where several servers may take over. */
export async function checkFailover({ configuration, snapshot }: Patient): Promise<Finding[]> {
  const { databaseUrl } = configuration;
  if (databaseUrl === null || snapshot === null) return [];
  if (serversIn(databaseUrl).urls.length === 1) return [];
  const about = "failover";
  const names = (await standbyNames.first(snapshot.read, {}))?.names ?? "";
  if (names !== "") return [{ about, state: "ok", text: `Each write waits for ${names}.` }];
  const text = "No standby is synchronous, so a failover may lose writes that were answered.";
  const advice = "Set synchronous_standby_names on the PostgreSQL server.";
  return [{ about, state: "warning", text, advice }];
}
