import { UNSPACED } from "./scripts.ts";
import { normalized } from "./text.ts";

/**
 * Rules that warn readers about a text. They judge nothing
 * and hide nothing. Ids and patterns are published and frozen; a new rule goes to the end.
 */
interface FlagRule {
  readonly id: string;
  /** `raw`: the text as sent. `matching`: its plain form, see `matchingForm`. `both`: either. */
  readonly on: "raw" | "matching" | "both";
  /** No quantifier lets the time grow faster than the text. */
  readonly pattern: RegExp;
  /** Unix seconds from which on it flags nothing more, because another rule does it better. */
  readonly retired_at?: number;
}

/** Three rules flagged ordinary text: word breaks of Khmer, `system: Linux 6.1`, "never share your password". */
const RETIRED_AT = 1_795_392_000;

/** An invisible character where no orthography puts one. */
const STRAY = String.raw`(?:[\u2060-\u2064\uFEFF]|(?<!${UNSPACED})\u200B|\u200B(?!${UNSPACED})|(?<![\p{L}\p{M}])\u00AD|\u00AD(?!\p{L}))`;

/** Tag characters of the flags of regions, which stand behind a black flag. */
const FLAG_TAG = String.raw`[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]`;

const HIDDEN = [
  String.raw`[\u202A-\u202E\u2066-\u2069]`,
  String.raw`[\u{E0000}-\u{E002F}\u{E003A}-\u{E0060}\u{E007B}-\u{E007E}]`,
  String.raw`(?<!\u{1F3F4}|${FLAG_TAG})[\u{E0030}-\u{E007F}]`,
  String.raw`\u{1F3F4}${FLAG_TAG}{7}`,
  `(?:${STRAY}[^]*?){2}${STRAY}`,
].join("|");

/** An order to the reader, behind the name of a role. */
const ORDER =
  "(?:you |your |please |always |never |do not |don't |must |from now |the user |ignore|disregard|forget|override|obey|act |do |follow |respond|reply|answer|send|reveal|share|give |show |tell |say |print|output|execute|run |call |use |pretend|stop |enter |switch |new )";

/** A negation, and words that may stand between it and what it forbids. */
const FORBIDDEN =
  "(?:never|not|\\w{1,8}n['’]t|dont|nor|nobody|no one|without|avoid|stop)(?:,? (?:ever|again|please|just|simply|to|be|ask(?:ed)?|you|us|should|must|will|would|need|have|has|want|allow|let|publicly|anyone|them|me)){0,5},? ";

const ASKED =
  "(?:access token|api key|secret key|private key|seed phrase|mnemonic|passphrase|password|credentials|system prompt|bearer token|your token)";

/** Words behind a secret's name that make it the name of something else. */
const ABOUT_SECRETS =
  "s? (?:reset|manager|policy|field|hash|length|strength|generator|rotation|form|check|file format)";

/** In order: the first that matches gives the flag. */
export const FLAG_RULES: readonly FlagRule[] = [
  {
    id: "hidden_text",
    on: "raw",
    retired_at: RETIRED_AT,
    pattern:
      /[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]|(?:[\u200B\u2060-\u2064\u00AD\uFEFF][^\u200B\u2060-\u2064\u00AD\uFEFF]*){2}[\u200B\u2060-\u2064\u00AD\uFEFF]/u,
  },
  { id: "token_like", on: "both", pattern: /\bsk_[0-9a-f]{48}\b/ },
  {
    id: "override_instructions",
    on: "matching",
    pattern:
      /\b(?:ignore|disregard|forget|override|bypass) (?:\w{1,20} ){0,3}(?:previous|prior|above|earlier|preceding|your|all|any|system|other|original) (?:\w{1,20} ){0,2}(?:instructions?|prompts?|rules|guidelines|directives|messages?|context)\b/,
  },
  {
    id: "reader_command",
    on: "matching",
    pattern:
      /\b(?:you are now (?:an?|the|in)|from now on,? you|you must now|as an ai (?:agent|model|assistant),? you (?:must|should|will)|new (?:system )?instructions? ?:|your new (?:task|goal|role|instructions?) (?:is|are))\b/,
  },
  {
    id: "role_markup",
    on: "matching",
    retired_at: RETIRED_AT,
    pattern:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?inst\]|<<\/?sys>>|(?:^|\n) {0,3}#{1,6} ?(?:system|instructions?) ?(?:prompt|message)?:?(?:\n|$)|(?:^|\n) {0,8}(?:system|developer|assistant) ?: /,
  },
  {
    id: "tool_markup",
    on: "matching",
    pattern:
      /<\/?(?:tool_call|tool_use|tool_result|function_calls?|invoke)\b|"(?:tool_calls|function_call|tool_use)" ?:/,
  },
  {
    id: "secret_request",
    on: "matching",
    retired_at: RETIRED_AT,
    pattern:
      /\b(?:send|post|reveal|share|paste|print|give|tell|show|forward|upload|leak|dm|reply with)\b[^.!?\n]{0,60}\b(?:access token|api key|secret key|private key|seed phrase|mnemonic|passphrase|password|credentials|system prompt|bearer token|your token)\b/,
  },
  {
    id: "remote_code",
    on: "matching",
    pattern:
      /\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n]{0,200}\| ?(?:sudo )?(?:ba|z|da)?sh\b|\bbase64 (?:-d|--decode)\b[^\n]{0,100}\| ?(?:ba)?sh\b|\bpowershell\b[^\n]{0,40} -e(?:nc|ncodedcommand)?\b/,
  },
  { id: "hidden_text_2", on: "raw", pattern: new RegExp(HIDDEN, "u") },
  {
    id: "role_markup_2",
    on: "matching",
    pattern: new RegExp(
      String.raw`<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[\/?inst\]|<<\/?sys>>|(?:^|\n) {0,3}#{1,6} ?system ?(?:prompt|message|instructions?):?(?:\n|$)|(?:^|\n) {0,8}(?:system|developer|assistant) ?: ${ORDER}`,
    ),
  },
  {
    id: "secret_request_2",
    on: "matching",
    pattern: new RegExp(
      String.raw`(?<!\b${FORBIDDEN})\b(?:send|post|reveal|share|paste|print|give|tell|show|forward|upload|leak|dm|reply with)\b[^.!?\n]{0,60}\b${ASKED}\b(?!${ABOUT_SECRETS})`,
    ),
  },
  {
    id: "grant_token_like",
    on: "both",
    pattern: /\b(?:cg_[0-9a-f]{48}|cr_[0-9a-f]{96})\b/,
  },
];

const IN_FORCE = FLAG_RULES.filter(({ retired_at }) => retired_at === undefined);

const NOT_ASCII = /[^\x00-\x7f]/;
const INVISIBLE =
  /[\u200B-\u200F\u2060-\u2064\u00AD\uFEFF\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;
const UNEVEN_SPACE = /[^\S\n ]| {2}/;

/**
 * The text without the disguises that keep its words: compatibility characters, invisible ones,
 * case, odd white space. Most posts are plain ASCII, on which the slow steps change nothing.
 */
function matchingForm(text: string): string {
  const visible = NOT_ASCII.test(text) ? normalized(text, "NFKC").replace(INVISIBLE, "") : text;
  const lower = visible.toLowerCase();
  if (!UNEVEN_SPACE.test(lower)) return lower;
  return lower.replace(/\r\n?/g, "\n").replace(/[^\S\n]+/g, " ");
}

/** The id of the first rule that a text matches, or null. */
export function flagOf(text: string): string | null {
  const plain = matchingForm(text);
  const rule = IN_FORCE.find(
    ({ on, pattern }) =>
      (on !== "matching" && pattern.test(text)) || (on !== "raw" && pattern.test(plain)),
  );
  return rule?.id ?? null;
}
