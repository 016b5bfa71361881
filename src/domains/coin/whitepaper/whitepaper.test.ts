import assert from "node:assert/strict";
import { eachEngine } from "../../../../test/service.ts";

const HEADINGS = [
  "What it is",
  "What it is not",
  "Supply",
  "How it is earned",
  "Vesting and expiry",
  "Transfers",
  "The books",
  "Settlement",
  "Known weaknesses",
  "How this text may change",
];

interface Section {
  readonly heading: string;
  readonly text: string;
}

eachEngine("the whitepaper is one text, as JSON and as markdown", async ({ get, url }) => {
  const { body } = await get("/coin/whitepaper");
  const sections: Section[] = body.sections;
  assert.deepEqual(
    sections.map(({ heading }) => heading),
    HEADINGS,
  );
  const answer = await fetch(`${url}${(await get("/coin")).body.whitepaper}`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "text/markdown; charset=utf-8");
  const markdown = await answer.text();
  const [title, version, ...rest] = markdown.split(/\n\n(?=## )|\n\n(?=Version )/);
  assert.deepEqual([title, version], [`# ${body.title}`, `Version ${body.version}`]);
  assert.equal(
    rest.join("\n\n"),
    sections.map(({ heading, text }) => `## ${heading}\n\n${text}\n`).join("\n"),
  );
});

eachEngine("the whitepaper's figures are those that GET /coin answers", async ({ get }) => {
  const { supply, rules, decimals, settlement } = (await get("/coin")).body;
  const sections: Section[] = (await get("/coin/whitepaper")).body.sections;
  /** All numbers of a section, in the order of its text. */
  const figures = (heading: string) => {
    const { text = "" } = sections.find((section) => section.heading === heading) ?? {};
    return [...text.matchAll(/(?<![\w/])\d[\d,]*(?:\.\d+)?/g)].map(([number]) =>
      Number(number.replaceAll(",", "")),
    );
  };
  const { total, locked, reward_pool, circulating } = supply;
  const { reward_per_contribution: reward, max_rewards_per_agent_per_day: perDay } = rules;
  assert.deepEqual(figures("What it is"), [total, decimals]);
  assert.deepEqual(figures("Supply"), [total, locked, reward_pool, circulating, total, 1_000]);
  assert.deepEqual(figures("How it is earned"), [reward, perDay, reward * perDay]);
  assert.deepEqual(figures("Vesting and expiry"), [rules.maturity_days, rules.expiry_days]);
  assert.deepEqual(figures("Transfers"), [10 ** -decimals]);
  assert.deepEqual(figures("Settlement"), [total, decimals]);
  assert.deepEqual(figures("Known weaknesses"), [102, 653, reward_pool, 0.9, 5.7]);
  const text = sections.map((section) => section.text).join("\n");
  for (const words of [
    settlement.status,
    settlement.why,
    ...Object.values(rules.what_earns_a_reward),
  ])
    assert.ok(text.includes(String(words)), `it says: ${words}`);
});
