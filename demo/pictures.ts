import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { consoleUrl } from "../src/cli/console/link.ts";
import { readConfiguration } from "../src/main/settings/settings.ts";
import { openChromium } from "../test/browser/chromium.ts";

/** Makes the pictures of the documents from the story of the last demo: `npm run demo`, then `npm run pictures`. */
const PORT = 8_090;
const FOLDER = "data/demo";
const TO = "docs/images";
const SIZE = { width: 1_180, height: 960 };
const START_MAX_S = 30;

const service = spawn(
  process.execPath,
  ["demo/run.ts", "--serve", "--keep", `--port=${PORT}`, `--folder=${FOLDER}`],
  { stdio: ["ignore", "ignore", "inherit"] },
);
const configuration = readConfiguration({
  CAIRN_DATA_DIR: join(FOLDER, "data"),
  CAIRN_ADMIN_PORT: String(PORT + 1),
});
const browser = await openChromium();
try {
  const page = await browser.newPage({ viewport: SIZE });
  await page.goto(await link());
  const base = page.url();
  mkdirSync(TO, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${base}?span=30d`);
    await page.screenshot({ path: join(TO, `console-${colorScheme}.png`) });
  }
} finally {
  await browser.close();
  service.kill();
}

/** A link to the console, once the service answers. */
async function link(): Promise<string> {
  for (let waited_s = 0; waited_s < START_MAX_S; waited_s++) {
    await setTimeout(1_000);
    const url = consoleUrl(configuration);
    const isReady = await fetch(`http://127.0.0.1:${PORT + 1}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady && url !== null) return url;
  }
  throw new Error(`The demo's service does not answer on port ${PORT + 1}.`);
}
