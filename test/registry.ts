import assert from "node:assert/strict";
import { contracts } from "../src/domains/contracts.ts";
import type { Contract } from "../src/platform/kernel/contract/operation.ts";
import { discovery } from "../src/surfaces/describe/catalogue.ts";
import { original } from "../src/surfaces/describe/original.ts";
import { type BoundOperation, registryOf } from "../src/surfaces/dispatch/registry.ts";

/** The records without their handlers: what outsiders see depends on nothing else. */
const bound = (domain: string, contract: Contract): readonly BoundOperation[] =>
  Object.entries(contract).map(([key, operation]) => ({
    ...operation,
    name: `${domain}.${key}`,
    domain,
    run: () => assert.fail("the documents are made without running an operation"),
  }));

/** Every operation but the catalogue. */
export const operations = Object.entries({ ...contracts, original }).flatMap(([domain, contract]) =>
  bound(domain, contract),
);

/** Every operation of a service, as its documents are folded over them. */
export const registry = registryOf(operations, bound("discovery", discovery));
