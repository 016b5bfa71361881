/** One key of the configuration: how it is called, what it may be, what it is when nothing is said. */
export interface Key<T> {
  readonly variable: `CAIRN_${string}`;
  /** Its meaning, as Markdown of the operators' guide. */
  readonly meaning: string;
  readonly fallback: T;
  /** The fallback in `public`, where it differs from that in `open` (decision 21). */
  readonly inPublic?: T;
  /** How the fallback is written, where its value is no text or number. */
  readonly shown?: string;
  readonly allowed: string;
  /** Undefined when the text is not allowed. */
  readonly parse: ((text: string) => T | undefined) & { readonly words?: readonly string[] };
  /** Not shown when it is refused. */
  readonly isSecret?: true;
  /** A file or folder: the configuration has its absolute path. */
  readonly isPath?: true;
  /** Its flag takes no value and means `on`. */
  readonly isSwitch?: true;
}

/** Which defaults count: those for a machine of one's own, or those for strangers. */
export type Protection = "open" | "public";

/** A record whose type is that of its value. */
export const key = <T>(record: Key<T>): Key<T> => record;

/** Text without spaces, such as a name or an address. */
export const printable = (variable: Key<string | null>["variable"], meaning: string) =>
  key<string | null>({
    variable,
    meaning,
    fallback: null,
    allowed: "1 to 200 printable ASCII characters without space",
    parse: (text) => (/^[\x21-\x7e]{1,200}$/.test(text) ? text : undefined),
  });
