import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  openStore,
  type Setting,
  systemNow,
  TOLD,
  times,
  withStore,
} from "../../../../test/postgres-store.ts";
import { statement } from "../../../../test/statement.ts";
import { registrationsResumed } from "../../../domains/identity/entries.ts";
import { prepared } from "../../db/prepared.ts";
import { append } from "../append.ts";
import { PLACED_WITHIN_S, RULES } from "../rules.ts";

/** An entry as a program stores it that keeps these rules. */
interface Waiting {
  readonly kind: string;
  readonly ref: string;
  readonly rules: number;
  readonly body?: object;
}

const waits = ({ other }: Setting, { kind, ref, rules, body = {} }: Waiting) =>
  other.query("INSERT INTO ledger_pending (kind, ref, body, rules) VALUES ($1, $2, $3, $4)", [
    kind,
    ref,
    JSON.stringify(body),
    rules,
  ]);

/** Several, none of which gets its place before all wait. */
async function waitTogether(setting: Setting, all: readonly Waiting[]): Promise<void> {
  await setting.other.query("BEGIN");
  for (const each of all) await waits(setting, each);
  await setting.other.query("COMMIT");
}

const tell = ({ store }: Pick<Setting, "store">, name: string) =>
  store.write(async (tx) => append(tx, TOLD, { name }));

interface Placed {
  readonly kind: string;
  readonly ref: string;
  readonly at: number;
  readonly body: Readonly<Record<string, number>>;
}

async function placed({ store }: Setting): Promise<readonly Placed[]> {
  const sql = `SELECT k.kind, e.ref, e.at, e.body FROM ledger_entry e
    JOIN ledger_kind k ON k.id = e.kind ORDER BY e.ledger_id`;
  const rows = await store.read.all(statement(sql), []);
  return rows as readonly Placed[];
}

const namesIn = async (setting: Setting) =>
  (await placed(setting)).map(({ kind, ref }) => `${kind} ${ref}`);

/** The rules of a version that is not there yet. */
const NEXT = RULES + 1;

const FENCED = {
  code: "storage_unavailable",
  message: `The ledger follows rules ${NEXT}, and this program knows rules ${RULES}: its operator has to start a newer version. Nothing was stored.`,
};

/** A write without an entry, such as a seal. */
const writeSeals = prepared((db, _: Record<string, never>) =>
  db.updateTable("seal_head").set({ last_seq: 0 }).where("k", "=", 1),
);

const GENESIS = {
  kind: "genesis",
  ref: "1",
  rules: RULES,
  body: { origin: "old.example/network", rules: RULES },
};

/** A program of the next version, on the ledger that this one began. */
function withNext(body: (setting: Setting) => Promise<void>): Promise<void> {
  return withStore(
    async (setting) => {
      await waits(setting, GENESIS);
      await setting.store.sequence();
      await body(setting);
    },
    systemNow,
    NEXT,
  );
}

describe("a ledger adopts the rules of the next version", { concurrency: 2 }, () => {
  it("once, behind everything that kept the earlier ones", () =>
    withNext(async (setting) => {
      const { store } = setting;
      await waitTogether(setting, [
        { kind: TOLD.kind, ref: "earlier", rules: RULES },
        { kind: TOLD.kind, ref: "first", rules: NEXT },
        { kind: TOLD.kind, ref: "as late", rules: RULES },
      ]);
      await store.sequence();
      await tell({ store }, "second");
      await store.sequence();
      assert.deepEqual(await namesIn(setting), [
        "genesis 1",
        "told earlier",
        "told as late",
        `rules_adopted ${NEXT}`,
        "told first",
        "told second",
      ]);
    }));

  it("once, of two nodes that begin together", () =>
    withNext(async (setting) => {
      const another = await openStore(setting.url, undefined, undefined, { rules: NEXT });
      try {
        await Promise.all(
          times(20, async (n) => {
            const store = n % 2 === 0 ? setting.store : another;
            await tell({ store }, `${n}`);
            await store.sequence();
          }),
        );
        while ((await another.sequence()) > 0);
        const names = await namesIn(setting);
        assert.deepEqual(names.slice(0, 2), ["genesis 1", `rules_adopted ${NEXT}`]);
        assert.equal(names.filter((name) => name.startsWith("rules_adopted")).length, 1);
        assert.equal(names.length, 22);
      } finally {
        await another.close();
      }
    }));

  it("and not again by a program that starts later", () =>
    withNext(async (setting) => {
      await tell(setting, "first");
      await setting.store.sequence();
      const later = await openStore(setting.url, undefined, undefined, { rules: NEXT });
      try {
        await tell({ store: later }, "second");
        await later.sequence();
        const names = ["genesis 1", `rules_adopted ${NEXT}`, "told first", "told second"];
        assert.deepEqual(await namesIn(setting), names);
      } finally {
        await later.close();
      }
    }));

  it("and no program that keeps earlier ones writes any more", () =>
    withStore(async (old) => {
      const { store, other, url, alarms } = old;
      await waitTogether(old, [
        GENESIS,
        { kind: TOLD.kind, ref: "earlier", rules: RULES },
        { kind: TOLD.kind, ref: "later", rules: NEXT },
      ]);
      // The old node leaves the new one's entries where they are, and the floor below them.
      await store.sequence();
      const early = ["genesis 1", "told earlier"];
      assert.deepEqual(await namesIn(old), early);
      const told: string[] = [];
      const next = await openStore(url, (what) => told.push(what), undefined, { rules: NEXT });
      try {
        await next.sequence();
        assert.equal(await store.sequence(), 0);
        await assert.rejects(tell(old, "late"), FENCED);
        await assert.rejects(
          store.write(async (tx) => append(tx, TOLD, { name: "again" })),
          FENCED,
        );
        assert.equal(await store.sequence(), 0);
        const names = [...early, `rules_adopted ${NEXT}`, "told later"];
        assert.deepEqual(await namesIn(old), names, "reads go on");
        await store.write(async (tx) => writeSeals.run(tx, {}));
        await tell({ store: next }, "on");
        while ((await next.sequence()) > 0);
        assert.deepEqual(await namesIn(old), [...names, "told on"]);
        const { rows } = await other.query("SELECT rules FROM ledger_head");
        assert.deepEqual(rows, [{ rules: `${NEXT}` }]);
        assert.deepEqual([alarms, told], [[], []]);
      } finally {
        await next.close();
      }
    }));

  it("nor before it knows of the adoption, where the release has its CHECK", () =>
    withStore(async (setting) => {
      const { store, other } = setting;
      await tell(setting, "earlier");
      await other.query("BEGIN");
      await other.query("SELECT last_id FROM ledger_head FOR UPDATE");
      await waits(setting, { kind: TOLD.kind, ref: "waiting", rules: RULES });
      await other.query("COMMIT");
      // As a migration says it that ships with the next rules; what waits already gets its place.
      await other.query(`ALTER TABLE ledger_pending ADD CHECK (rules >= ${NEXT}) NOT VALID`);
      await assert.rejects(tell(setting, "late"), {
        code: "storage_unavailable",
        message: /^The database takes entries of later rules than this program's/,
      });
      while ((await store.sequence()) > 0);
      assert.deepEqual(await namesIn(setting), ["told earlier", "told waiting"]);
      await store.write(async (tx) => writeSeals.run(tx, {}));
    }));

  it("and no program that knows no rules writes", () =>
    withStore(async ({ other }) => {
      const earlier = "INSERT INTO ledger_pending (kind, ref, body) VALUES ('told', 'late', '{}')";
      await assert.rejects(other.query(earlier), { code: "23502" });
    }));
});

describe("the place of an entry that says when it was made", { concurrency: 2 }, () => {
  const made = (setting: Setting, pause_id: number, made_at: number) =>
    waits(setting, {
      kind: registrationsResumed.kind,
      ref: `${pause_id}`,
      rules: RULES,
      body: { pause_id, made_at },
    });

  it("is said to be late if and only if it waited for more than 300 seconds", () =>
    withStore(async (setting) => {
      const now = systemNow();
      await tell(setting, "before");
      await setting.store.sequence();
      // The clock may go on while the test runs.
      await made(setting, 1, now - PLACED_WITHIN_S + 60);
      await setting.store.sequence();
      await made(setting, 2, now - PLACED_WITHIN_S - 1);
      await made(setting, 3, now);
      await setting.store.sequence();
      await tell(setting, "after");
      await setting.store.sequence();
      assert.deepEqual(await namesIn(setting), [
        "told before",
        "registrations_resumed 1",
        "ledger_resumed 2",
        "registrations_resumed 2",
        "registrations_resumed 3",
        "told after",
      ]);
    }));

  it("is never before it was made, although its writer's clock is ahead", () =>
    withStore(async (setting) => {
      const ahead = systemNow() + 40;
      await made(setting, 1, ahead);
      await tell(setting, "beside");
      await setting.store.sequence();
      const [first, second] = await placed(setting);
      assert.ok(Number(first?.at) >= ahead && Number(second?.at) >= Number(first?.at));
    }));
});
