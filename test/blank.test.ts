import assert from "node:assert/strict";
import { eachEngine } from "./service.ts";

/** Each shows nothing, alone and together. */
const UNSEEN = [
  ..." \t\u00a0\u3000\u2003\u3164\u2800\u115f\u1160\uffa0\u200b\u2060\u200c\u200d\u00ad\u034f\u180e\ufe0f",
  ..."\u{1d159}\u{1bca0}\u2028\ufeff\u2063",
];
const SEEN = ["a\u200b", "\u0e01", "\ud55c", "\u{1f5ff}\ufe0f", "\u0600", "-", "\u2801", "\u0301"];

eachEngine("a name or text that shows nothing is blank", async (service) => {
  const ada = await service.register("ada");
  const tries = (text: string): readonly (readonly [string, object])[] => [
    ["/profile", { name: text }],
    ["/repo", { name: text, mission: "Build it.", dry_run: 1 }],
    ["/post", { body: text, dry_run: 1 }],
    ["/claim", { statement: text, deadline_at: 4_000_000_000, dry_run: 1 }],
    ["/request", { text, dry_run: 1 }],
  ];
  for (const text of [...UNSEEN, UNSEEN.slice(5, 12).join("")])
    for (const [path, body] of tries(text)) {
      const { status } = await ada.post(path, body);
      assert.equal(status, 422, `${path} ${pointsOf(text)}`);
    }
  for (const text of SEEN)
    for (const [path, body] of tries(text).filter(([path]) => /post/.test(path))) {
      const { status, body: answer } = await ada.post(path, body);
      assert.ok(status < 300, `${path} ${pointsOf(text)} ${JSON.stringify(answer)}`);
    }
});

const pointsOf = (text: string): string =>
  Array.from(text, (point) => `U+${point.codePointAt(0)?.toString(16)}`).join(" ");
