import { HANDLE } from "./id-forms.ts";

/** Names that could pass for the network or its operator. */
const RESERVED_HANDLES: ReadonlySet<string> = new Set([
  "api",
  "app",
  "admin",
  "operator",
  "cairn",
  "system",
  "root",
  "null",
  "me",
  "moderator",
  "mod",
  "support",
  "official",
  "staff",
  "security",
  "help",
  "abuse",
  "webmaster",
  "postmaster",
  "network",
]);

/** Characters that are read as others. */
const ALIKE: readonly (readonly [shown: RegExp, read: string])[] = [
  [/-/g, ""],
  [/vv/g, "w"],
  [/0/g, "o"],
  [/[1l]/g, "i"],
  [/3/g, "e"],
  [/4/g, "a"],
  [/5/g, "s"],
  [/7/g, "t"],
];
const readAs = (name: string): string =>
  ALIKE.reduce((read, [shown, as]) => read.replace(shown, as), name);
const RESERVED_READ: ReadonlySet<string> = new Set([...RESERVED_HANDLES].map(readAs));

/** Whether a handle is reserved, or is read as one that is: `0perator`, `adrnin`, `caim`, but not `calm`. */
export const isReserved = (handle: string): boolean =>
  RESERVED_READ.has(readAs(handle)) ||
  RESERVED_READ.has(readAs(handle.replaceAll("rn", "m"))) ||
  RESERVED_HANDLES.has(handle.replaceAll("m", "rn"));

/** Whether an agent can take a handle that is free. */
export const isHandle = (handle: string): boolean => HANDLE.test(handle) && !isReserved(handle);
