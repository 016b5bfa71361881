import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { VERIFIER, verifierText } from "../packages/verifier.ts";
import { PROGRAMS, withoutRuntimes } from "./runtimes.ts";
import { editedText, PINNED, savedText } from "./verdicts.ts";
import { newFile, verifyRun } from "./verify-run.ts";

/** Somebody reads it before it runs, over any connection: rules of money and rights may make it larger, texts not. */
const BYTES_MAX = 178_000;

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the one file, with a text on its standard input. */
const started = (program: string, words: readonly string[], input = "") =>
  new Promise<Ended>((resolve) => {
    const child = execFile(program, words, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });

test("verify.mjs is made from the source, and small (else: npm run build:verifier)", async () => {
  const text = readFileSync(VERIFIER, "utf8");
  assert(text === (await verifierText(true)), "packages/verify/verify.mjs is of another source");
  assert(Buffer.byteLength(text) < BYTES_MAX, String(Buffer.byteLength(text)));
});

for (const [name, program = "", ...before] of PROGRAMS) {
  const skip = program === process.execPath ? false : withoutRuntimes;
  test(`verify.mjs says byte for byte what cairn verify says: ${name}`, { skip }, async () => {
    for (const edit of [1, 2, 3, 5, 8]) {
      const file = newFile();
      await writeFile(file, editedText(edit));
      for (const depth of [[], ["--entries"]]) {
        const words = [file, ...depth, "--key", PINNED, "--json"];
        const { code, stdout } = await started(program, [...before, VERIFIER, ...words]);
        const reported = await verifyRun([...words, "--state", newFile()]);
        assert.deepEqual([code, stdout], [reported.exit_code, `${reported.text}\n`]);
      }
    }
  });
}

for (const [name, program = "", ...before] of PROGRAMS) {
  const skip = program === process.execPath ? false : withoutRuntimes;
  test(`verify.mjs asks the proxy of HTTPS_PROXY, or says that it does not: ${name}`, {
    skip,
  }, async (t) => {
    const asked = new Set<string>();
    const proxy = createServer();
    proxy.on("connect", ({ url = "" }, socket) => {
      asked.add(url);
      socket.on("error", () => {});
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    t.after(() => proxy.close());
    const { port } = proxy.address() as AddressInfo;
    const env = { PATH: process.env["PATH"], HTTPS_PROXY: `http://127.0.0.1:${port}` };
    const words = [...before, VERIFIER, "https://cairn.invalid"];
    const child = execFile(program, words, { env });
    let said = "";
    child.stderr?.on("data", (chunk) => (said += chunk));
    await once(child, "close");
    const isOld = /^This Node asks no proxy, though HTTPS_PROXY names one\. (?:Use|Set) N.*\.$/m;
    assert.equal(isOld.test(said), asked.size === 0, said);
    assert.equal(asked.size === 0, name === "Node 20" || name === "Node 22", said);
  });
}

test("verify.mjs reads standard input, and speaks to people", async () => {
  const words = [VERIFIER, "-", "--entries", "--key", PINNED];
  const { code, stdout } = await started(process.execPath, words, savedText());
  assert.match(stdout, /^-: example\.org\/test\n5 seals, 1 not signed yet/);
  assert.match(stdout, /The chain does not verify: 1 fault, the first at seal 5\.\n$/);
  assert.equal(code, 1);
});

test("wrong words and databases are told in a sentence", async () => {
  const database = newFile();
  await writeFile(database, "SQLite format 3\0");
  const cases: readonly (readonly [string[], RegExp])[] = [
    [[], /^Name one URL, one file, or - for standard input\.\n$/],
    [["a", "--nothing"], /^There is no option --nothing\.\n$/],
    [["a", "--key"], /^--key needs a value\.\n$/],
    [["a", "--key=00"], /^--key must be 64 lower-case hex characters/],
    [["ftp://a"], /^The place must be a URL of http or https without .* password, or a file\.\n$/],
    [["http://user:pw@127.0.0.1:1"], /^The place must be a URL of http or https without[^:@]+\n$/],
    [["a", "--save", "b"], /^--save copies a service's chain\.\n$/],
    [[database], /^This is a database; use `cairn verify`\.\n$/],
  ];
  for (const [words, sentence] of cases) {
    const { code, stdout, stderr } = await started(process.execPath, [VERIFIER, ...words]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, sentence);
  }
});
