import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { EndedForm, isEndedSchema } from "../../kernel/ended-form.ts";
import { type Applied, READ_RECORD } from "../migrate.ts";

/**
 * Throws an EndedForm for a database file of a version before 0.3.0, and changes nothing, not even beside the file: any
 * other connection makes a log and an index there. Says nothing about a file that cannot be read.
 */
export function refuseEndedFile(path: string, what = `The database ${path}`): void {
  if (existsSync(path) && isEndedSchema(namesIn(path))) throw new EndedForm(what);
}

/** The names of its migrations. The log is not looked at: the first ones are in the file since its first start. */
function namesIn(path: string): readonly string[] {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(url, { readOnly: true });
    const record = database.prepare(READ_RECORD).all() as unknown as readonly Applied[];
    return record.map(({ name }) => name);
  } catch {
    return []; // No database, or none of ours.
  } finally {
    database?.close();
  }
}
