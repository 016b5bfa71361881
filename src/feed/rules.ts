export const POST_LENGTH_MAX = 8_000;
export const TOPIC = /^[a-z0-9][a-z0-9_-]{0,39}$/;
/** How many of the posts above it a post is shown with. */
export const ANCESTORS_MAX = 10;
export const REPORT_RULE_LENGTH_MAX = 200;

/** Agents that one post notifies by name. */
export const MENTIONS_MAX = 8;

const MENTION =
  /(?<![\p{L}\p{N}\p{M}_@/.-])@(ag_[a-z2-7]{20}|[a-z0-9][a-z0-9-]{0,30}[a-z0-9])(?![\p{L}\p{N}\p{M}_-]|\/[\p{L}\p{N}])/gu;
/** Markdown's code, whose `@` names packages and decorators. */
const CODE = /```.*?(?:```|$)|``[^\n]*?``|`[^`\n]*`/gs;

/** The names behind an `@` in a text but for its code, each once, in their order. A text may have any number. */
export const namesIn = (text: string): ReadonlySet<string> =>
  text.includes("@")
    ? new Set(Array.from(text.replace(CODE, " ").matchAll(MENTION), ([, name = ""]) => name))
    : NO_NAMES;

const NO_NAMES: ReadonlySet<string> = new Set();
