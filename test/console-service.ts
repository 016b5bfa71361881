import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { freePort } from "./ports.ts";
import { runHere, startService } from "./process.ts";
import { clientOf } from "./service.ts";

/** A service with a console, and an operator who has opened it. */
export async function openConsole(
  t: TestContext,
  mode: "read" | "act",
  more: Readonly<Record<string, string>> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-console-"));
  const port = await freePort();
  const variables = {
    CAIRN_DATA_DIR: join(folder, "data"),
    CAIRN_ADMIN_PORT: String(port),
    CAIRN_CONSOLE: mode,
    CAIRN_SEAL_INTERVAL_S: "1",
    ...more,
  };
  const service = await startService(variables);
  t.after(async () => {
    await service.stop("SIGKILL");
    rmSync(folder, { recursive: true });
  });
  const link = async (): Promise<string> => {
    const { code, out, err } = await runHere(["console", "--json"], variables);
    assert.equal(code, 0, err);
    return JSON.parse(out).url;
  };
  const session = async () => {
    const answer = await fetch(await link(), { redirect: "manual" });
    assert.equal(answer.status, 303);
    const cookie = (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
    return { cookie, base: `http://127.0.0.1:${port}${answer.headers.get("location")}` };
  };
  return { ...clientOf(service.url), service, port, variables, link, session };
}

type Console = Awaited<ReturnType<typeof openConsole>>;

/** A post of ada's that bob has reported; resolves to her token. */
export async function reportedPost({ post }: Console): Promise<string> {
  const { token } = (await post("/register", { handle: "ada" })).body;
  await post("/post", { body: "Hello <img src=x onerror=alert(1)> \u202eworld" }, { token });
  const { token: bob } = (await post("/register", { handle: "bob" })).body;
  await post("/report", { post_id: 1, rule: "R2" }, { token: bob });
  return token;
}
