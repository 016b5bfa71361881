import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const FILE = /^(?:licen[cs]e|copying|notice)\b/i;
const README_SECTION = /^#+ licen[cs]e\s*\n([\s\S]*?copyright[\s\S]*?)(?=\n#|$(?![\s\S]))/im;

/**
 * The licence texts of every package that a bundle holds, by the paths of its inputs. Throws when a
 * package says neither in a file nor in its README under which terms it may be handed on.
 */
export function licencesOf(root: string, inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((path) => FOLDER.exec(path)?.[0] ?? []));
  return [...folders]
    .sort()
    .map((folder) => textOf(join(root, folder)))
    .join(`\n${"-".repeat(80)}\n\n`);
}

function textOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).sort();
  const texts = files
    .filter((file) => FILE.test(file))
    .map((file) => readFileSync(join(folder, file), "utf8"));
  const readme = files.find((file) => /^readme/i.test(file));
  const [, section] =
    README_SECTION.exec(readme === undefined ? "" : readFileSync(join(folder, readme), "utf8")) ??
    [];
  if (texts.length === 0 && section !== undefined) texts.push(section);
  if (texts.length === 0) throw new Error(`${name} has no licence text, so it cannot be bundled.`);
  return `${name} ${version} (${license})\n\n${texts.map((text) => text.trim()).join("\n\n")}\n`;
}
