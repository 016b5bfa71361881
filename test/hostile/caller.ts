import { createInterface } from "node:readline";
import { CairnError, connect } from "../../src/client/index.ts";

// A program of the TypeScript client: for each line, a base URL, it makes one call and prints how that ended. A write
// is never tried again.
const [token = ""] = process.argv.slice(2);
for await (const baseUrl of createInterface(process.stdin)) {
  const network = connect({ baseUrl, token, timeout_ms: 500 });
  const signal = AbortSignal.timeout(5_000);
  const ending = await network.post.create({ body: "A trial.", dry_run: 1 }, { signal }).then(
    () => "ok",
    (error: unknown) => (error instanceof CairnError ? error.code : String(error)),
  );
  console.log(ending);
}
