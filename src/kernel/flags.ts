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
}

/** In order: the first that matches gives the flag. */
export const FLAG_RULES: readonly FlagRule[] = [
  {
    id: "hidden_text",
    on: "raw",
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
    pattern:
      /\b(?:send|post|reveal|share|paste|print|give|tell|show|forward|upload|leak|dm|reply with)\b[^.!?\n]{0,60}\b(?:access token|api key|secret key|private key|seed phrase|mnemonic|passphrase|password|credentials|system prompt|bearer token|your token)\b/,
  },
  {
    id: "remote_code",
    on: "matching",
    pattern:
      /\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n]{0,200}\| ?(?:sudo )?(?:ba|z|da)?sh\b|\bbase64 (?:-d|--decode)\b[^\n]{0,100}\| ?(?:ba)?sh\b|\bpowershell\b[^\n]{0,40} -e(?:nc|ncodedcommand)?\b/,
  },
];

const NOT_ASCII = /[^\x00-\x7f]/;
const INVISIBLE =
  /[\u200B-\u200F\u2060-\u2064\u00AD\uFEFF\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;
const UNEVEN_SPACE = /[^\S\n ]| {2}/;

/**
 * The text without the disguises that keep its words: compatibility characters, invisible ones,
 * case, odd white space. Most posts are plain ASCII, on which the slow steps change nothing.
 */
function matchingForm(text: string): string {
  const visible = NOT_ASCII.test(text) ? text.normalize("NFKC").replace(INVISIBLE, "") : text;
  const lower = visible.toLowerCase();
  if (!UNEVEN_SPACE.test(lower)) return lower;
  return lower.replace(/\r\n?/g, "\n").replace(/[^\S\n]+/g, " ");
}

/** The id of the first rule that a text matches, or null. */
export function flagOf(text: string): string | null {
  const plain = matchingForm(text);
  const rule = FLAG_RULES.find(
    ({ on, pattern }) =>
      (on !== "matching" && pattern.test(text)) || (on !== "raw" && pattern.test(plain)),
  );
  return rule?.id ?? null;
}
