import { test } from "node:test";
import { matchesGolden } from "../../test/golden.ts";
import { runCairn } from "../../test/process.ts";

/** A line of the list of commands: two spaces, the words, the summary in the 18th column or later. */
const LISTED = /^ {2}([a-z]+(?:-[a-z]+)?(?: [a-z]+)?) +\S/gm;

test("the list of commands and the help of each say what they said", async () => {
  const { out: list } = await runCairn(["--help"]);
  const names = list.matchAll(LISTED).map(([, name = ""]) => name);
  const pages = [list, (await runCairn(["market", "--help"])).out];
  for (const name of names) pages.push((await runCairn([...name.split(" "), "--help"])).out);
  matchesGolden("help.txt", pages.join("\n\n\n"));
});
