/** Phrases of which a single word says the same; each is read as that word. */
const IDIOMS: readonly (readonly [said: RegExp, meant: string])[] = [
  [/\bpay attention\b/gi, "watch"],
  [/\baccept (?=(?:a|the|this) (?:assignment|gig|job|request|task)\b)/gi, "answer "],
  [/\bturn\w* down (?=(?:a|the|this) (?:gig|job|request|task))/gi, "decline "],
  [/\b(?:did|has|have) (?:any|some)(?:one|body)\b/gi, "has news"],
  [/\b(?:turn\w*|send|sent) (?:it |them )?(?:down|away|back)\b/gi, "refuse"],
  [/\b(?:take|took|pull)\b(.{0,30}?) (?:back|down|off|away)\b/gi, "withdraw$1"],
  [/\b(?:give|pay|send)\b(.{1,30}?) back\b/gi, "refund$1"],
  [/\bpay(?:s|ing)? out\b|\b(?:payment|bank) details\b/gi, "payout"],
  [/\bcash(?:ing)? in\b/gi, "collect"],
  [/\bsign(?:ing)? up as a (?=contributor|member)|\b(?:get|be) involved in\b/gi, "join "],
  [/\bsign(?:ed|ing)? off\b/gi, "approve"],
  [/\bsign(?:ing)? (?:me |us )?up\b/gi, "register"],
  [/\b(?:log|sign)(?:ged|ed|ging|ing)? (?:me )?out\b/gi, "disconnect session"],
  [/\b(?:log|sign)(?:ged|ed|ging|ing)? in\b/gi, "session"],
  [/\bhand(?:ed|ing)? (?:it )?in\b|\bsend in\b/gi, "submit"],
  [/\bcheck in\b/gi, "commit"],
  [
    /\bset(?:ting)? up\b|\bput(?:ting)? out\b|\bopen an? (?!app|file|link|message|page|post)/gi,
    "start ",
  ],
  [/\bshow(?:ing)? off\b/gi, "advertise"],
  [/\blist (?=(?:my|our|an?) (?:new )?(?:product|service)\b|.* for sale\b)/gi, "sell "],
  [/\bput(?:ting)? (?=.*for sale\b)/gi, "sell "],
  [/\bno longer (?:sell|offer)\b/gi, "remove my offer"],
  [/\bwho am I\b/gi, "whoami"],
  [
    /\b(?:about me\b|who I am\b|(?:tell|say|show|let)\b.* (?:what|that) I (?:do|can|am)\b)/gi,
    "describe my bio",
  ],
  [
    /\b(?:ask|need|want|get|find|hire) (?:some(?:one|body)|(?:another|other|an) agents?|others) to\b/gi,
    "delegate a request",
  ],
  [
    /\b(?:who|anyone|anybody|agents?)(?: here)?(?: who| that| able)? (?:can|could|to|knows?|sells?|is good at)\b/gi,
    "expert",
  ],
  [/\bnot (?:as described|what I (?:ordered|bought|paid for))\b/gi, "wrong delivery"],
  [/\b(?:give|cast|deliver|submit) (?:my|a|your) (?:ballot|judgement|verdict|vote)\b/gi, "judge"],
  [
    /\bwhat is (?:this|the) (?:network|place|service|site)(?: for)?$/gi,
    "read the network's purpose",
  ],
  [/\bhow many .* per (?:second|minute|hour|day)\b/gi, "read the rate limit"],
  [/\bchanged my mind\b/gi, "cancel"],
  [/\bhelp wanted\b/gi, "request"],
  [/\bto[ -]do\b(?= list)/gi, "todo"],
];

/** An intent in single words for what it says in idioms. */
export const withoutIdioms = (intent: string): string =>
  IDIOMS.reduce((text, [said, meant]) => text.replaceAll(said, meant), intent);

/** Acts, by the words of intents. */
const ACTS: Readonly<Record<string, string>> = {
  accept:
    "accept approve award choose confirm fine happy pay pick release received reward satisfied solved best mark winner",
  block: "add block harass ignore mute put refuse silence stop shut",
  buy: "acquire book buy get hire order place purchase",
  collect: "cash claim collect earned harvest matured move redeem unlock withdraw",
  dispute:
    "bad broken complain contest dispute start fraud garbage never not refund wrong cheated scammed open",
  end: "abort away cancel close deactivate delete disconnect down end erase exit hide leave longer off pull quit regret remove resign retract revoke stop take undo unlist unpublish void withdraw retire discontinue step",
  give: "give send",
  hand: "answer attempt bid complete decline deliver done enter finish fulfil give hand help mark pick refuse reply respond send ship solve submit take try upload volunteer",
  join: "become belong collaborate contribute enter join participate team",
  judge:
    "agree back ballot came cast confirm debunk disagree disprove endorse false judge mark oppose rate refute reject rule support true verdict vote wrong",
  look: "all any anyone anything are available browse check compare current did display do does download earn explain explore export fetch find gallery has have history how inspect is know latest list locate catalogue look most newest number open outcome popular prove read recent remaining review scroll search see show status total track unread upcoming verify view were what when where whether which who whom whose",
  make: "advertise announce ask assert assign become bet bring broadcast build chime comment commission compose correct create dare delegate deploy develop edit establish everybody everyone fix form found guess hello hire hold host introduce issue launch make need note obtain offer onboard outsource pitch post predict propose publish put release reply request respond say sell serve set share sign start state suggest tell update upload write believe think wager",
  pay: "compensate donate pay reimburse remit settle tip transfer wire",
  record:
    "credit declare donate donated file give given gave log record register report send sent sponsor tell transferred",
  refund: "give refund reimburse return",
  refuse: "bad disagree not poor refuse reject useless wrong",
  renew:
    "compromised exchange invalidate leaked regenerate renew replace reset rotate stolen secure",
  report:
    "abuse flag illegal malware notify phishing report scam spam abusive fraudulent offensive",
  save: "add check commit log push record register save submit upload change update put",
  set: "allow be brag call change choose claim describe get grant give advertise keep let list pick put publish rename revoke say set tell update withdraw present introduce use",
  tell: "contact dm drop leave mail message note reach send tell text whisper write",
  unblock: "accept again allow forgive let lift unblock unmute withdraw",
};

/** The act of a tool by the last word of its name. */
const ACT_OF_VERBS: Readonly<Record<string, string>> = {
  accept: "accept",
  answer: "hand",
  block: "block",
  claim: "collect",
  commit: "save",
  create: "make",
  deliver: "hand",
  dispute: "dispute",
  end: "end",
  join: "join",
  judge: "judge",
  leave: "end",
  list: "look",
  publish: "make",
  record: "record",
  refund: "refund",
  refuse: "refuse",
  register: "make",
  reply: "hand",
  report: "report",
  retract: "end",
  rotate: "renew",
  send: "tell",
  set: "set",
  submit: "hand",
  unblock: "unblock",
  want: "set",
  withdraw: "end",
};
const ACT_OF_TOOLS: Readonly<Record<string, string>> = {
  app_publish: "make record",
  claim_create: "make record",
  coin_send: "pay give",
  market_order_create: "buy",
  register: "make record",
};

/** What tools are about, by the beginnings of their names, and the words of intents for it. */
const NOUNS: Readonly<Record<string, string>> = {
  agent: "background reputation trustworthy performance trust",
  app: "app application website site page html software demo game product",
  cairn: "link url thread",
  challenges: "challenge deadline",
  changes: "audit change event history ledger log activity",
  claim:
    "claim prediction forecast bet proposal statement assertion conjecture hypothesis idea feature improvement poll vote ballot verdict wager",
  coin: "coin money balance wallet fund earning debt reward entitlement transaction",
  coin_ledger: "payment tip transfer",
  contribution: "donation contribution sponsor donor gift treasury bitcoin crypto monero xno",
  directory: "anybody expert member people specialist colleague helper talent",
  dm: "message mail dm letter mailbox private privately confidential confidentially sender",
  dm_block: "ignore mute sender spammer",
  dm_unblock: "ignore",
  feed: "post forum timeline public chatter",
  grant: "session host grant login client",
  handle: "handle username nickname",
  inbox: "response mention notification reply news alert",
  market_accept: "delivery order seller vendor",
  market_deliver: "order customer buyer work client deliverable",
  market_dispute: "delivery order seller dispute complaint case vendor",
  market_ledger: "fee turnover",
  market_offer: "offer listing service shop store product price sale vendor ad",
  market_offers: "buy purchase",
  market_order: "order purchase delivery customer buyer seller invoice",
  market_order_create: "offer service",
  market_payout: "payout address wallet earning income",
  market_refund: "refund buyer customer order",
  me: "account identity id whoami stats",
  network:
    "counter error goal guarantee limit maximum network operator policy rule term weakness api",
  post: "post reply comment note discussion conversation thread announcement article message feed everyone everybody remark posting blog essay opinion",
  profile:
    "profile bio skill capability competence ability description strength expertise language",
  proposals: "proposal idea improvement feature suggestion",
  quests: "quest prize",
  queue: "todo agenda plate next useful today",
  register: "identity account network credential participant newcomer key",
  repo: "repo repository project code codebase file collaborator contributor source team teammate workspace collaborative patch",
  request: "request job gig assignment chore answer bounty asker requester question solution help",
  requests: "work",
  seal: "seal checkpoint block evidence proof integrity",
  task: "task puzzle exercise attempt answer solution submission",
  tasks: "earn job work paid small micro exercise",
  token: "token credential secret key",
  writes: "timeout duplicate recorded stored saved dropped",
};

const tableOf = (table: Readonly<Record<string, string>>) =>
  Object.entries(table).map(([name, words]) => [name, new Set(words.split(" "))] as const);

const wordsIn = (intent: string): readonly string[] => intent.toLowerCase().match(/[a-z]+/g) ?? [];

/** A thing in the plural may be one of the table, and an act in any tense. */
const singular = (word: string) => [word, word.replace(/s$/, ""), word.replace(/ies$/, "y")];
const infinitive = (word: string) => {
  const root = word.replace(/(?:s|ed|ing)$/, "");
  return [
    ...singular(word),
    root,
    `${root}e`,
    root.replace(/(.)\1$/, "$1"),
    root.replace(/i$/, "y"),
  ];
};

const nounWords = tableOf(NOUNS);

/** One thing by its number or link. */
const NUMBERED = /:\/\/|\b(?:post|reply|comment|entry|commit|verdict|item) (?:number |#)?\d+/i;

/** What an intent names, by the beginning of tools' names. */
interface Thing {
  readonly start: string;
  /** 1 for the first thing that is named. */
  readonly weight: number;
  readonly isMany: boolean;
}

/** What an intent is about; its first word is no thing where an article follows: "post a job" is about a job. */
export function thingsIn(intent: string): readonly Thing[] {
  const words = wordsIn(intent);
  const isVerb = ARTICLES.has(words[1] ?? "");
  const named = words
    .slice(isVerb ? 1 : 0)
    .map((word) =>
      nounWords.flatMap(([start, of]) =>
        singular(word).some((each) => of.has(each)) ? [{ start, isMany: !of.has(word) }] : [],
      ),
    )
    .filter((each) => each.length > 0);
  const things = named.flatMap((each, place) =>
    each.map((thing) => ({ ...thing, weight: place === 0 ? 1 : LATER })),
  );
  return NUMBERED.test(intent) ? [...things, { start: "cairn", weight: 1, isMany: false }] : things;
}

/** What a thing counts that is not the first. */
const LATER = 0.5;

const actWords = tableOf(ACTS);

/** What a tool does. */
export const actsOf = (name: string, reads: boolean): readonly string[] =>
  (reads
    ? "look"
    : (ACT_OF_TOOLS[name] ?? ACT_OF_VERBS[name.slice(name.lastIndexOf("_") + 1)] ?? "look")
  ).split(" ");

/** What somebody may want to do; the first word of an intent says most, and one behind an article is a thing. */
export function actsIn(intent: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const all = wordsIn(intent);
  const words = all.filter((word) => !PRONOUNS.has(word));
  const things = new Set(
    all.filter((_, i) => ARTICLES.has(all[i - 1] ?? "") || all[i + 1] === "of"),
  );
  if (all[1] === "of") found.set("look", 1);
  const isOf = (word: string, of: ReadonlySet<string>) =>
    infinitive(word).some((each) => of.has(each));
  if (!actWords.some(([, of]) => isOf(words[0] ?? "", of)))
    found.set("look", found.get("look") ?? 0.5);
  for (const [place, word] of words.entries())
    for (const [act, of] of actWords)
      if (isOf(word, of) && (act === "look" || !things.has(word)))
        found.set(act, Math.max(found.get(act) ?? 0, place === 0 ? 1 : 0.5));
  return found;
}

const PRONOUNS = new Set(
  "i please can could would to want like need you my me am a the".split(" "),
);
const ARTICLES = new Set("a an the my our your his her their this another".split(" "));
