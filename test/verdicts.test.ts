import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { editedText, PINNED, savedText } from "./verdicts.ts";
import { newFile, verifyRun } from "./verify-run.ts";

/** What `cairn verify --json` has to say of each edit, as the first 12 digits of a hash. */
const GOLDEN = join(import.meta.dirname, "golden/released/verdicts.json");

const EDITS = 500;

/** The report without what another release may add, and without the file's name. */
async function verdictOn(text: string): Promise<string> {
  const path = newFile();
  await writeFile(path, text);
  const words = [path, "--entries", "--key", PINNED, "--json", "--state", newFile()];
  const { text: report } = await verifyRun(words);
  const {
    names_compared: _,
    witnessed: __,
    ...verdict
  } = JSON.parse(report.replaceAll(path, "FILE"));
  return JSON.stringify(verdict);
}

test("500 edited chains are judged as they were", async () => {
  const verdicts = [await verdictOn(savedText())];
  for (let n = 1; n <= EDITS; n++) verdicts.push(await verdictOn(editedText(n)));
  const digests = verdicts.map((verdict) => hash("sha256", verdict).slice(0, 12));
  if (process.env["TEST_VERDICTS"] === "write")
    await writeFile(GOLDEN, `${JSON.stringify(digests)}\n`);
  const released: string[] = JSON.parse(await readFile(GOLDEN, "utf8"));
  const differing = verdicts.flatMap((verdict, n) =>
    digests[n] === released[n] ? [] : [`edit ${n}: ${verdict}`],
  );
  assert.deepEqual(differing, []);
  const faults = verdicts.filter((verdict) => verdict.includes('"ok":false'));
  assert(faults.length > EDITS / 2, `${faults.length} of ${EDITS} edits are found`);
});
