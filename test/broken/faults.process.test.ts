import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { newFile } from "../verify-run.ts";
import { FAULTS, type Fault } from "./faults.ts";

const local = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const report = z.object({
  exit_code: z.int(),
  breaches: z.array(z.object({ rule: z.string() })),
  groups: z.array(
    z.object({
      name: z.string(),
      unequal: z.int(),
      figures: z.array(
        z.object({ claimed: z.string().nullable(), recomputed: z.string().nullable() }),
      ),
    }),
  ),
});

/** What the audit of a life under a fault says; null where the service itself could not go on. */
async function auditUnder(fault: Fault | null) {
  const file = newFile();
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const TEST_FAULT = JSON.stringify(fault);
  const child = spawn(process.execPath, ["--import", local("breaking.ts"), local("life.ts")], {
    env: { ...inherited, TEST_FAULT, TEST_REPORT: file, TEST_ENGINES: "sqlite" },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      said += text;
    });
  await once(child, "close");
  assert.doesNotMatch(said, /not once/, "the source has the text");
  return {
    audit: existsSync(file) ? report.parse(JSON.parse(readFileSync(file, "utf8"))) : null,
    said,
  };
}

type Report = z.output<typeof report>;

/** The sums and the columns that an audit finds wrong, as `table.column`. */
function wrongIn({ breaches, groups }: Report): readonly string[] {
  const columns = groups.flatMap(({ name, figures }) =>
    figures.flatMap(({ claimed, recomputed }) => {
      const other = new Set(recomputed?.split(", "));
      return (claimed?.split(", ") ?? [...other])
        .filter((figure) => claimed === null || !other.has(figure))
        .map((figure) => `${name}.${figure.split(" ")[0]}`);
    }),
  );
  return [...breaches.map(({ rule }) => rule), ...columns];
}

/** So many faults of each file are tried; `npm run test:long` tries all. */
const OF_EACH_FILE = Number(process.env["TEST_FAULTS"] ?? 1);

const tried = Map.groupBy(FAULTS, ({ file }) => file)
  .values()
  .flatMap((of) => of.slice(0, OF_EACH_FILE));

describe("a wrong count in the code is found by the audit, or stops the service", {
  concurrency: 2,
}, () => {
  test("without a fault nothing is found", async () => {
    const { audit, said } = await auditUnder(null);
    assert.ok(audit, said);
    assert.deepEqual([audit.exit_code, ...wrongIn(audit)], [0]);
  });

  for (const fault of tried)
    test(`${fault.file}: ${fault.from} becomes ${fault.to}`, async () => {
      const { audit, said } = await auditUnder(fault);
      if (audit === null) assert.ok(/internal_error|CHECK constraint|task_closed/.test(said), said);
      else
        assert.ok(
          wrongIn(audit).some((wrong) => wrong.startsWith(fault.told)),
          `${fault.told} is not among ${wrongIn(audit).join("; ")}`,
        );
    });
});
