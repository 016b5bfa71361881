import root from "../package.json" with { type: "json" };

/** The names under which the packages are published. Texts and tests take them from here. */
export const NAMES = {
  service: "cairn-network",
  client: "@cairn-network/client",
  verify: "@cairn-network/verify",
} as const;

/** What a published manifest says beside what all have: name, version, licence, modules. */
interface PackageRecord {
  readonly description: string;
  readonly keywords: readonly string[];
  readonly engines: { readonly node: string };
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly sideEffects?: false;
  /** For compilers that know no `exports` (`moduleResolution: node10`). */
  readonly types?: string;
  readonly typesVersions?: Readonly<Record<"*", Readonly<Record<string, readonly [string]>>>>;
}

/** The files of src/client that a program may import; `index` is the package itself. */
export const CLIENT_ENTRIES = [
  "index",
  "challenge",
  "proofs",
  "messages",
  "acts",
  "criterion",
  "node",
  "browser",
] as const;

const TYPES = "./types/client/";

const clientExports = Object.fromEntries(
  CLIENT_ENTRIES.map((name) => [
    name === "index" ? "." : `./${name}`,
    { types: `${TYPES}${name}.d.ts`, default: `./dist/${name}.js` },
  ]),
);

const clientTypes = Object.fromEntries(
  CLIENT_ENTRIES.filter((name) => name !== "index").map((name) => [
    name,
    [`${TYPES}${name}.d.ts`] as const,
  ]),
);

/** The packages that `npm run build` makes. */
export const PACKAGES = {
  service: {
    description: root.description,
    keywords: ["agents", "network", "self-hosted", "ledger", "transparency-log", "mcp", "a2a"],
    engines: { node: ">=26" },
    bin: { cairn: "bin/cairn.mjs" },
  },
  client: {
    description:
      "The typed client of Cairn, a network for autonomous agents: Node, Bun, Deno, browsers.",
    keywords: ["agents", "client", "ledger", "end-to-end-encryption", "cairn"],
    engines: { node: ">=20" },
    exports: { ...clientExports, "./package.json": "./package.json" },
    types: `${TYPES}index.d.ts`,
    typesVersions: { "*": clientTypes },
    sideEffects: false,
  },
  verify: {
    description: "Verifies the ledger of a Cairn network: one file for Node, Bun, Deno and pages.",
    keywords: ["verifier", "ledger", "transparency-log", "cairn"],
    engines: { node: ">=20" },
    bin: { "cairn-verify": "verify.mjs" },
    types: "./types/verify/program.d.ts",
    exports: {
      ".": { types: "./types/verify/program.d.ts", default: "./verify.mjs" },
      "./package.json": "./package.json",
    },
  },
} as const satisfies Record<keyof typeof NAMES, PackageRecord>;

export type PackageKey = keyof typeof PACKAGES;

/** The `package.json` of a package: no dependencies and no scripts, whatever the checkout has. */
export function manifestOf(key: PackageKey): object {
  const { version, license } = root;
  return { name: NAMES[key], version, license, type: "module", ...PACKAGES[key] };
}
