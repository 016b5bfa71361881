import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folderFor } from "../../../test/site.ts";
import { envFileOf, withEnvFile } from "./env-file.ts";

const FILE = String.raw`# a comment
; another one
A=plain
 B = behind white space 
C="double \"quoted\" \\ \a kept"
D='single \ kept'
E=two\
lines
F="x "y' z'
G=
H="over
two lines"
I=a "b" c
J=\
K=it ends in a space\ 
not an assignment
export L=no name
1M=no name
N= " spaced " 
O="joined"'text'
P="eaten \
line"`;

const READ = {
  A: "plain",
  B: "behind white space",
  C: String.raw`double "quoted" \ \a kept`,
  D: String.raw`single \ kept`,
  E: "twolines",
  F: "x y' z'",
  G: "",
  H: "over\ntwo lines",
  I: 'a "b" c',
  J: "K=it ends in a space ",
  N: " spaced ",
  O: "joinedtext",
  P: "eaten line",
};

test("an environment file is read as systemd reads it", () => {
  assert.deepEqual(envFileOf(FILE, "a file"), READ);
  assert.deepEqual(envFileOf(`${FILE}\r\nQ=crlf\r\n`, "a file"), { ...READ, Q: "crlf" });
  assert.throws(() => envFileOf("# one \\\nA=1", "a file"), /a file: a comment ends/);
});

const GENERATOR = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator";
const isThere = existsSync(GENERATOR);

test("systemd itself reads the same", {
  skip: isThere ? false : `${GENERATOR} is not on this machine.`,
}, (t) => {
  const folder = folderFor(t);
  mkdirSync(join(folder, "environment.d"));
  writeFileSync(join(folder, "environment.d", "a.conf"), FILE);
  const env = { PATH: process.env["PATH"], XDG_CONFIG_HOME: folder, HOME: folder };
  const { stdout } = spawnSync(GENERATOR, { env, encoding: "utf8" });
  const lines = stdout.split("\n").map((line) => /^([A-Z])=(.*)$/.exec(line) ?? []);
  const read = lines.flatMap(([, name = "", value = ""]) =>
    Object.hasOwn(READ, name) ? [[name, value.startsWith('"') ? JSON.parse(value) : value]] : [],
  );
  const { G: _, ...shown } = READ; // It leaves out what is empty.
  assert.deepEqual(Object.fromEntries(read), shown);
});

test("the file of CAIRN_ENV_FILE stands below the environment, and its paths are absolute", (t) => {
  const file = join(folderFor(t), "cairn.env");
  writeFileSync(file, "CAIRN_DATA_DIR=/var/lib/cairn\nCAIRN_PORT=81\nPATH=/evil\n");
  assert.deepEqual(withEnvFile({ CAIRN_ENV_FILE: file, CAIRN_PORT: "82" }), {
    CAIRN_DATA_DIR: "/var/lib/cairn",
    CAIRN_PORT: "82",
  });
  for (const relative of ["CAIRN_DATA_DIR=data", "CAIRN_PORT=1"]) {
    writeFileSync(file, relative);
    assert.throws(
      () => withEnvFile({ CAIRN_ENV_FILE: file }),
      /CAIRN_DATA_DIR as an absolute path/,
    );
  }
  assert.throws(() => withEnvFile({ CAIRN_ENV_FILE: `${file}.no` }), /cannot be read: ENOENT/);
});
