import manifest from "../../package.json" with { type: "json" };

/** The release that runs, as the package names it. */
export const PACKAGE_VERSION: string = manifest.version;
