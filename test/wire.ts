import { PACKAGE_VERSION } from "../src/main/version.ts";
import { catalogueOf, VERSION } from "../src/surfaces/describe/catalogue.ts";
import { openapiDocument } from "../src/surfaces/describe/openapi/document.ts";
import { toolsOf } from "../src/surfaces/mcp/tools/tools.ts";
import { operations, registry } from "./registry.ts";

/** Where the documents of the tests say that the service is. */
export const baseUrl = "http://127.0.0.1:8080";
export const version = PACKAGE_VERSION;

export const catalogue = catalogueOf(operations);
export const openapi = openapiDocument(registry, { baseUrl, version: VERSION, contact: null });
export const tools = toolsOf(registry, "full").map(({ tool }) => tool);
