import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ENTRY_KINDS } from "../src/domains/entries.ts";
import { actText } from "../src/platform/kernel/proof/act-text.ts";
import { newPair, setKey, signed } from "./act-keys.ts";
import { wealthy } from "./coin.ts";
import { blocksOf } from "./guide.ts";
import { eachEngine } from "./service.ts";

const page = readFileSync(new URL("../docs/reference/acts.md", import.meta.url), "utf8");
const vectors = JSON.parse(readFileSync(new URL("acts/vectors.json", import.meta.url), "utf8"));

test("the vector of the page is what the seed signs, and what this program would sign", () => {
  const der = Buffer.from(`302e020100300506032b657004220420${vectors.seed}`, "hex");
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const pubkey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  assert.equal(pubkey.toString("hex"), vectors.pubkey);
  assert.equal(sign(null, Buffer.from(vectors.text), key).toString("base64"), vectors.signature);
  const [, json = ""] = vectors.text.split("\n");
  assert.equal(actText(JSON.parse(json)), vectors.text);
  for (const value of [vectors.seed, vectors.pubkey, vectors.signature, vectors.text])
    assert.ok(page.includes(value), value);
});

test("the page's program knows what is signed of each kind", () => {
  const program = blocksOf(page).find(({ language }) => language === "py")?.text ?? "";
  const [, table = ""] = /SIGNED = (\{.*?\})\n/s.exec(program) ?? [];
  const signed = ENTRY_KINDS.flatMap(({ kind, signed }) => (signed ? [[kind, signed.fields]] : []));
  assert.deepEqual(JSON.parse(table), Object.fromEntries(signed));
});

const hasTools = ["python3", "openssl"].every(
  (tool) => spawnSync(tool, [tool === "openssl" ? "version" : "--version"]).status === 0,
);

/** Signed fields, by the kind. */
const ALTERED = [
  ["coin_transfer", "amount_micro"],
  ["offer", "price_usd_micro"],
  ["offer_withdrawn", "act"],
  ["request_withdrawn", "act"],
] as const;

eachEngine("a page of Python checks every act, and refuse an altered one", async (service) => {
  if (!hasTools) return;
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const [first, second] = [newPair(), newPair()];
  await setKey(ada, first);
  await signed(ada, first, "/coin/send", { to: bob.agent_id, amount: 0.1, memo: "Dík" });
  await setKey(ada, second, { old: first });
  await signed(ada, second, "/coin/send", { to: bob.agent_id, amount: 0.2 });
  const offer = { capability: "c", title: "t", description: "d", price_usd: 10 };
  const { id: offer_id } = (await signed(ada, second, "/market/offer", offer)).body;
  await signed(ada, second, "/market/offer/withdraw", { offer_id });
  const { id: request_id } = (await ada.post("/request", { text: "Carry." })).body;
  await signed(ada, second, "/request/withdraw", { request_id });
  await service.sequenced();
  const { entries } = (await service.get("/since?after_id=0&limit=500&with=entry")).body;
  const program = blocksOf(page).find(({ language }) => language === "py")?.text ?? "";
  const check = (lines: readonly object[]) =>
    spawnSync("python3", ["-c", program], {
      input: lines.map((line) => JSON.stringify(line)).join("\n"),
      encoding: "utf8",
    });
  const fine = check(entries);
  assert.equal(fine.stdout, "7 acts are signed by their agents.\n", fine.stderr);
  for (const [kind, field] of ALTERED) {
    const altered = entries.map((entry: { kind: string; body: Record<string, number> }) =>
      entry.kind === kind
        ? { ...entry, body: { ...entry.body, [field]: Number(entry.body[field]) + 1 } }
        : entry,
    );
    const refused = check(altered);
    assert.equal(refused.status, 1, kind);
    assert.match(refused.stderr, new RegExp(`: ${kind} .* is not signed by ag_`));
  }
});
