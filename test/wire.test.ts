import assert from "node:assert/strict";
import { test } from "node:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { contracts } from "../src/contracts.ts";
import type { Contract } from "../src/kernel/operation.ts";
import { catalogueOf, discovery, VERSION } from "../src/surfaces/catalogue.ts";
import { openapiDocument } from "../src/surfaces/openapi.ts";
import { type Bound, registryOf } from "../src/surfaces/registry.ts";
import { matchesGoldenJson } from "./golden.ts";

/** The records without their handlers: what outsiders see depends on nothing else. */
const bound = (domain: string, contract: Contract): readonly Bound[] =>
  Object.entries(contract).map(([key, operation]) => ({
    ...operation,
    name: `${domain}.${key}`,
    domain,
    run: () => assert.fail("the documents are made without running an operation"),
  }));

const domains = Object.entries(contracts).map(([domain, contract]) => bound(domain, contract));
const registry = registryOf(...domains, bound("discovery", discovery));
const catalogue = catalogueOf(domains.flat());
const openapi = openapiDocument(registry, { baseUrl: "http://127.0.0.1:8080", version: VERSION });

test("the catalogue is the one that was released", () =>
  matchesGoldenJson("catalogue.json", catalogue));

test("the OpenAPI document is the one that was released", () =>
  matchesGoldenJson("openapi.json", openapi));

test("every route of the catalogue is an operation of the document, and the reverse", () => {
  const documented = Object.entries(Object(openapi["paths"])).flatMap(([path, methods]) =>
    Object.keys(Object(methods)).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const listed = catalogue.routes.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(listed, documented);
});

test("the document is valid OpenAPI 3.1", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(openapi));
  assert(valid, JSON.stringify(errors));
});

test("the document has no finding under redocly's recommended rules", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const findings = await lintFromString({
    source: JSON.stringify(openapi),
    absoluteRef: "openapi.json",
    config,
  });
  const lines = findings.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
  );
  assert.deepEqual(lines, []);
});
