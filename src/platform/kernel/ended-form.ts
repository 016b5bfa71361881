/** The last commit that reads what versions before 0.3.0 wrote. */
const LAST_READER = "b947e873995f";

/** Refuses a form that no version reads any more; `what` begins the sentence, as "The database /a/b.db". */
export const endedForm = (what: string): string =>
  `${what} was written by a version before 0.3.0, which this version does not read: run commit ${LAST_READER}, the last one that reads it, or begin a new network.`;

/** The schema of every version before 0.3.0 begins with this migration. */
const FIRST_MIGRATION = "0001-foundation";

/** Whether the names of migrations, in their order, are those of a version before 0.3.0. */
export const isEndedSchema = (names: unknown): boolean =>
  Array.isArray(names) && names[0] === FIRST_MIGRATION;

/** A database of a version before 0.3.0. Its message is the whole sentence. */
export class EndedForm extends Error {
  constructor(what: string) {
    super(endedForm(what));
    this.name = "EndedForm";
  }
}
