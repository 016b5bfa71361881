import assert from "node:assert/strict";
import { test } from "node:test";
import { addOwnAccount } from "../src/domains/transfers/own-accounts.ts";
import { accountText } from "../src/platform/chain/account.ts";
import { field } from "../src/platform/kernel/contract/entry-kind.ts";
import { DAY_S } from "../src/platform/kernel/time.ts";
import { append } from "../src/platform/ledger/append.ts";
import { UNKNOWN_RULES } from "../src/verify/rules.ts";
import { dev } from "./chain-service.ts";
import { dice } from "./dice.ts";
import { fillService } from "./full-service.ts";
import { type Liar, openLiar } from "./liar.ts";
import { eachMarket, type Market } from "./market-service.ts";
import { edited, type ServedEdit, servedEdits } from "./served-edits.ts";
import { eachEngine, openTestService, type TestAgent } from "./service.ts";
import { auditRun, newFile } from "./verify-run.ts";

/** Edits that one run makes of answers, drawn from all; `test:long` makes every one. */
const EDITS = Number(process.env["TEST_EDITS"] ?? 10);

interface Group {
  readonly name: string;
  readonly unequal: number;
  readonly objects?: number;
  readonly figures: readonly { readonly name: string; readonly equal: boolean }[];
  readonly untold: readonly string[];
}

/** Fields that only some entries leave open: they are newer than others, or a hold moved the clock of an order. */
const OPEN_SOMETIMES: ReadonlySet<string> = new Set([
  "flagged",
  "receive_hash",
  "from",
  "to",
  "payload_bytes",
  "deadline_at",
  "deliver_by",
  "refund_at",
  "accept_by",
  "allowed_actions",
  "agents_seen_7d",
  "direct_messages",
  "reports",
]);

/** Names the account that the invoices are paid to, as a service does when it starts. */
const nameEscrow = ({ context }: Market) =>
  addOwnAccount(context, { address: accountText(dev("escrow").key), role: "escrow" });

/** The exit code of an audit, and what differs by route. */
async function audited(url: string, agent: TestAgent) {
  const environment = { CAIRN_TOKEN: agent.token };
  const { exit_code, text } = await auditRun([url, "--json", "--state", newFile()], environment);
  const report = JSON.parse(text);
  const groups: readonly Group[] = report.groups ?? [];
  const differing = groups.flatMap(({ name, figures }) =>
    figures.filter(({ equal }) => !equal).map((figure) => `${name} ${figure.name}`),
  );
  const names = new Set(
    groups.flatMap(({ name, figures }) => figures.map((figure) => `${name} ${figure.name}`)),
  );
  const open = groups.flatMap(({ name, untold }) => untold.map((place) => `${name} ${place}`));
  return { exit_code, report, differing, names, open };
}

/** Answers to a route, by what was asked: all agents get the same unless they ask about themselves. */
function answersTo(liar: Liar, { route, isOwn }: ServedEdit, agent: TestAgent) {
  const path = route.replace(/[{]\w+[}]/g, "[^/?]+");
  const whose = isOwn ? `Bearer ${agent.token}` : "nobody";
  const asked = new RegExp(`^${whose} /api/v1${path}(?:[?].*)?$`);
  // With one item the figures beside it are read, and only these are compared.
  return [...liar.heard].filter(([each]) => asked.test(each) && !each.endsWith("limit=1"));
}

/** Answers of which some fields are read before anything is compared: of another shape they are not read at all. */
const READ_FIRST = ["/verify", "/coin", "/stats", "/me"];

/** What an item is known by: another one is that of another object. */
const KEYS = ["id", "agent_id", "n", "claim_id", "topic", "kind", "ref"];

/** Whether a difference names the route, the objects and the field of an edit. */
function isNamed(name: string, edit: ServedEdit, ids: readonly string[]): boolean {
  if (!name.startsWith(edit.route)) return false;
  if (KEYS.includes(edit.place.at(-1) ?? "") || edit.isList) return true;
  return name.includes(edit.named) && ids.every((id) => name.includes(id));
}

/** Makes an edit in one of the answers that were heard; null where none of them allows it. */
function lieOf(
  liar: Liar,
  edit: ServedEdit,
  { agent, roll }: { readonly agent: TestAgent; readonly roll: (sides: number) => number },
) {
  const answers = answersTo(liar, edit, agent);
  const start = roll(Math.max(1, answers.length));
  for (let n = 0; n < answers.length; n++) {
    const [asked = "", body = ""] = answers[(start + n) % answers.length] ?? [];
    const made = edited(JSON.parse(body), edit, roll);
    if (made === null) continue;
    liar.tell(asked, () => JSON.stringify(made.answer));
    return { asked, ids: made.ids };
  }
  return null;
}

eachMarket("an audit by URL finds every edit of what the ledger tells", async (market) => {
  await fillService(market);
  const liar = await openLiar(market.url);
  try {
    const parties = [market.seller, market.buyer] as const;
    const names = new Set<string>();
    for (const party of parties) {
      const untouched = await audited(liar.url, party);
      assert.deepEqual([untouched.exit_code, untouched.differing], [0, []]);
      for (const name of untouched.names) names.add(name);
      const open = untouched.open.filter(
        (place) => !OPEN_SOMETIMES.has(place.split(/[ .]/).at(-1) ?? ""),
      );
      assert.deepEqual(open, [], "fields that are left open without a reason");
    }

    const roll = dice("edits of answers");
    const left = [...servedEdits(names)];
    const n = Math.min(left.length, market.engine === "sqlite" ? EDITS : Math.ceil(EDITS / 5));
    const missed: string[] = [];
    let made = 0;
    for (let drawn = 0; drawn < n; drawn++) {
      const [edit] = left.splice(roll(left.length), 1);
      assert.ok(edit);
      const agent = parties[roll(2)] ?? market.seller;
      const lie = lieOf(liar, edit, { agent, roll });
      if (lie === null) continue;
      made++;
      const { exit_code, differing } = await audited(liar.url, agent);
      const found = differing.some((name) => isNamed(name, edit, lie.ids));
      const isRefused = exit_code === 5 && READ_FIRST.includes(edit.route);
      if ((exit_code === 1 && found) !== edit.isDetermined && !isRefused)
        missed.push(`${edit.what} at ${lie.asked}: ${exit_code} ${differing.join("; ")}`);
    }
    assert.deepEqual(missed, [], `of ${made} edits`);
  } finally {
    await liar.close();
  }
});

eachMarket(
  "an audit by URL passes while others write, and waits when it is asked to",
  async (market) => {
    const { seller, buyer } = market;
    await nameEscrow(market);
    const offer_id = await market.offer();
    const repo = await seller.post("/repo", {
      name: "Busy",
      mission: "To be changed all the time.",
    });
    const repo_id = repo.body.id;
    const claim = { statement: "This list will have changed." };
    const liar = await openLiar(market.url);
    let requests = 0;
    let refusals = 0;
    liar.before = async (path) => {
      const n = ++requests;
      // More often than a client asks again by itself.
      if (path.startsWith("/api/v1/feed") && refusals < 6) return refusals++ === 0 ? 1 : 0;
      const written = [
        seller.post("/post", { body: `Post ${n}.`, topic: `topic-${n % 7}` }),
        seller.post("/repo/commit", { repo_id, summary: `Commit ${n}.` }),
        buyer.post("/claim", claim),
        n % 5 === 0
          ? buyer.post("/market/order", { offer_id })
          : seller.post("/profile", { name: `N${n}` }),
      ];
      const [first] = await Promise.all(written);
      return first?.status === 201 ? null : 0;
    };
    try {
      const { exit_code, differing, report } = await audited(liar.url, seller);
      assert.deepEqual([exit_code, differing], [0, []]);
      assert.equal(refusals, 6);
      assert(report.objects > 50, "objects were compared while they were written");
    } finally {
      await liar.close();
    }
  },
);

eachMarket("a seller's payout address that is hidden or another one is found", async (market) => {
  const { seller } = market;
  const address = accountText(dev("bob").key);
  assert.equal((await seller.post("/market/payout-address", { address })).status, 200);
  market.pass(DAY_S);
  await market.watch();
  await nameEscrow(market);
  const { id } = await market.delivered(await market.offer());
  const asked = `Bearer ${seller.token} /api/v1/market/order?id=${id}&limit=100`;
  const liar = await openLiar(market.url);
  try {
    const untouched = await audited(liar.url, seller);
    assert.deepEqual([untouched.exit_code, untouched.differing], [0, []]);
    assert.ok(liar.heard.get(asked)?.includes(address));
    const others = ["null", `"${accountText(dev("carol").key)}"`];
    for (const other of others) {
      liar.tell(asked, (body) => body.replace(`"address":"${address}"`, `"address":${other}`));
      const { exit_code, differing } = await audited(liar.url, seller);
      assert.deepEqual([exit_code, differing], [1, [`/market/order ${id}: order.payout.address`]]);
    }
  } finally {
    await liar.close();
  }
});

eachMarket("a hosted page that is not the one that was sealed is found", async (market) => {
  const page = { name: "A page", description: "Short.", html: "<!doctype html><p>One and one." };
  const { slug, id } = (await market.seller.post("/app", page)).body;
  await market.sequenced();
  const liar = await openLiar(market.url);
  try {
    liar.tell(`nobody /app/${slug}`, (html) => html.replace("One", "Two"));
    const { exit_code, differing } = await audited(liar.url, market.seller);
    assert.deepEqual([exit_code, differing], [1, [`/app/{slug} ${id}: html_sha256`]]);
  } finally {
    await liar.close();
  }
});

eachEngine("a list is compared to its end", async (service) => {
  const ada = await service.register("ada");
  for (let n = 1; n <= 230; n++) {
    const declared = { currency: "other", txid: `Parcel ${n}`, amount: "1", note: `Stone ${n}.` };
    assert.equal((await ada.post("/contribute", declared)).status, 201);
  }
  const liar = await openLiar(service.url);
  try {
    const untouched = await audited(liar.url, ada);
    assert.deepEqual([untouched.exit_code, untouched.differing], [0, []]);
    liar.tell("nobody /api/v1/contributions?limit=100&before_id=31", (body) =>
      body.replace("Stone 1.", "Stone 2."),
    );
    const { exit_code, differing } = await audited(liar.url, ada);
    assert.deepEqual([exit_code, differing], [1, ["/contributions contributions 1.note"]]);
  } finally {
    await liar.close();
  }
});

/** The answers that were heard to such questions. */
const heardOf = (liar: Liar, asked: RegExp): readonly (readonly [string, string])[] =>
  [...liar.heard].filter(([each]) => asked.test(each));

eachEngine("another order, another filter's items and another page are found", async (service) => {
  const ada = await service.register("ada");
  for (let n = 1; n <= 130; n++) {
    const said = { body: `Post ${n}.`, topic: n % 13 === 0 ? "prime" : "even" };
    assert.equal((await ada.post("/post", said)).status, 201);
  }
  for (const kind of ["claim", "proposal"])
    await ada.post("/claim", { statement: `This is a ${kind}.`, kind });
  const liar = await openLiar(service.url);
  try {
    const untouched = await audited(liar.url, ada);
    assert.deepEqual([untouched.exit_code, untouched.differing], [0, []]);
    const swapped = (body: string) => {
      const {
        posts: [first, second, ...rest],
        ...page
      } = JSON.parse(body);
      return JSON.stringify({ ...page, posts: [second, first, ...rest] });
    };
    const other = (asked: RegExp) => () => heardOf(liar, asked)[0]?.[1] ?? null;
    const lies = [
      ["/feed", /feed[?]limit=100$/, swapped],
      ["/feed", /feed[?]limit=100&topic=prime/, other(/feed[?]limit=100&topic=even/)],
      ["/feed", /feed[?]limit=100&cursor=/, other(/feed[?]limit=100$/)],
      ["/claims", /claims[?]limit=100&kind=claim/, other(/claims[?]limit=100&kind=proposal/)],
    ] as const;
    for (const [route, asked, lie] of lies) {
      const [[question = ""] = []] = heardOf(liar, asked);
      assert.notEqual(question, "", `${asked} was asked`);
      liar.tell(question, lie);
      const { exit_code, differing } = await audited(liar.url, ada);
      const isNamed = differing.some((name) => name.startsWith(route) && name.endsWith("in order"));
      assert.deepEqual([exit_code, isNamed], [1, true], `${question}: ${differing.join("; ")}`);
    }
  } finally {
    await liar.close();
  }
});

/** A kind of a version to come. */
const POEM = { kind: "poem", ref: "<n>", fields: { n: field.whole }, when: "somebody rhymes" };

test("entries and answers of newer versions are named, and are no difference", async () => {
  const opened = await openTestService("sqlite", "newer");
  const { service, sequenced } = opened;
  const seller = await opened.register("ada");
  await seller.post("/claim", { statement: "There will be newer versions." });
  const liar = await openLiar(opened.url);
  try {
    const before = await audited(liar.url, seller);
    const asked = "nobody /api/v1/claims?limit=100";
    const renamed = (body: string) => body.replace('"status":"open"', '"status":"rhymed"');
    liar.tell(asked, renamed);
    const early = await audited(liar.url, seller);
    assert.deepEqual([early.exit_code, early.differing], [1, ["/claims claims 1.status"]]);

    await service.context.write(async (tx) => append(tx, POEM, { n: 1 }));
    await sequenced();
    liar.tell(asked, (body) => renamed(body).replace('"kind":', '"metre":5,"kind":'));
    const { exit_code, report } = await audited(liar.url, seller);
    const claims = report.groups.find(({ name }: Group) => name === "/claims");
    assert.deepEqual([before.exit_code, exit_code], [0, UNKNOWN_RULES]);
    assert.deepEqual(claims.newer, ["claims 1.status rhymed", "claims 1.metre"]);
    assert.deepEqual(report.unknown.kinds, { poem: 1 });
  } finally {
    await liar.close();
    await opened.close();
  }
});
