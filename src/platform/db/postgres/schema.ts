import { type ClientBase, escapeIdentifier } from "pg";

/** SQL for the schema in which this session makes and finds its tables, as `relnamespace` has it. */
export const OWN_SCHEMA = "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())";

/** Schemas with a ledger: rows are never deleted, so one without pages has no entry. */
const LEDGERS = `SELECT DISTINCT n.nspname::text AS name,
    (n.nspname = current_schema())::integer AS own,
    (n.nspname = ANY (current_schemas(false)))::integer AS seen,
    pg_has_role(r.relowner, 'USAGE')::integer AS ours
  FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace
  WHERE r.relkind = 'r' AND r.relname = 'ledger_entry' AND pg_relation_size(r.oid) > 0
  ORDER BY name`;

/**
 * The schema of the service's tables: the first one of the session's search_path that exists. Rejects with the
 * end of a sentence when there is none, or when the network's ledger may be the one of another schema.
 */
export async function demandOwnSchema(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ own: string | null; role: string }>(
    "SELECT current_schema()::text AS own, current_user::text AS role",
  );
  const { own = null, role = "" } = rows[0] ?? {};
  const setPath = (schema: string) =>
    `ALTER ROLE ${escapeIdentifier(role)} SET search_path = ${escapeIdentifier(schema)}`;
  if (own === null)
    throw new Error(`no schema of the role's search_path exists. Set one: ${setPath("public")}.`);
  const ledgers = await client.query<{ name: string; own: number; seen: number; ours: number }>(
    LEDGERS,
  );
  const has = ledgers.rows.some((ledger) => Number(ledger.own) === 1);
  const other = ledgers.rows.find(
    (ledger) =>
      Number(ledger.own) === 0 &&
      (Number(ledger.seen) === 1 || (!has && Number(ledger.ours) === 1)),
  );
  if (other === undefined) return own;
  throw new Error(
    has
      ? `its schemas ${own} and ${other.name} both hold a ledger, and the role's search_path names both. Look which one is the network's, and let the role see that one alone: ${setPath(other.name)}.`
      : `its schema ${other.name} holds a ledger, and the role's tables would go to its schema ${own}, which holds none. To go on with that ledger: ${setPath(other.name)}. A new one needs a database of its own.`,
  );
}
