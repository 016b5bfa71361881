import assert from "node:assert/strict";
import { test } from "node:test";
import { toolSets } from "../../src/surfaces/mcp/tools/tool-set.ts";
import { registry } from "../registry.ts";
import { eachEngine } from "../service.ts";
import { rawMcp } from "./raw.ts";

type Schema = Readonly<Record<string, unknown>>;

const sets = toolSets(registry);
const FORMS = ["full", "simple", "strict"] as const;

/** Every list that a host can ask for. */
const LISTS = [true, false].flatMap((isOpen) =>
  FORMS.flatMap((form) =>
    ["", "all", "market,coin"].map((toolsets) => {
      const query = new URLSearchParams({ schema: form, ...(toolsets && { toolsets }) });
      const { listed } = sets(query, isOpen);
      return { form, name: `${isOpen ? "open" : "closed"} ${query}`, tools: listed };
    }),
  ),
);

/** A schema and every one inside of it, each with its place; whether a field may be left out is said of fields alone. */
function* schemasIn(
  schema: Schema,
  place: string,
  isOptional?: boolean,
): Generator<{
  readonly schema: Schema;
  readonly place: string;
  readonly isOptional: boolean | undefined;
}> {
  yield { schema, place, isOptional };
  const { properties, items, required = [] } = schema;
  const names = new Set([required].flat());
  for (const [name, field] of Object.entries(Object(properties)))
    yield* schemasIn(Object(field), `${place}.${name}`, !names.has(name));
  if (items !== undefined) yield* schemasIn(Object(items), `${place}[]`);
}

/** What a form says of a schema that its hosts refuse. */
type Rule = (found: {
  readonly schema: Schema;
  readonly isOptional: boolean | undefined;
}) => string;

const keywordsBeside = (schema: Schema, known: string): string =>
  Object.keys(schema)
    .filter((keyword) => !known.split(" ").includes(keyword))
    .join();

const isBare = ({ type, properties }: Schema): boolean =>
  type === "object" && Object.keys(Object(properties)).length === 0;

/** The `Schema` of Gemini's API: one type each, no object or list of anything. */
const ofGemini: Rule = ({ schema, isOptional }) => {
  const strange = keywordsBeside(
    schema,
    "type description enum properties required items default minimum maximum minLength maxLength minItems maxItems pattern",
  );
  if (strange !== "") return `has ${strange}`;
  if (
    !["string", "integer", "number", "boolean", "array", "object"].includes(String(schema["type"]))
  )
    return "has no single type";
  if (schema["type"] === "array" && schema["items"] === undefined) return "is a list of anything";
  if (schema["properties"] !== undefined && isBare(schema)) return "has an empty list of fields";
  return isOptional !== undefined && isBare(schema) ? "is an object of any form" : "";
};

/** The subset of strict function calling: closed objects, every field required, one that may be absent is null. */
const ofStrictMode: Rule = ({ schema }) => {
  const strange = keywordsBeside(
    schema,
    "type description enum properties required items additionalProperties minimum maximum minItems maxItems pattern",
  );
  if (strange !== "") return `has ${strange}`;
  const types = [schema["type"]].flat();
  const [type, ...more] = types.filter((each) => each !== "null");
  if (typeof type !== "string" || more.length > 0) return "has no single type beside null";
  const { enum: values } = schema;
  if (Array.isArray(values) && values.includes(null) !== types.includes("null"))
    return "has null in type or enum alone";
  if (type === "array" && schema["items"] === undefined) return "is a list of anything";
  if (type !== "object") return "";
  const names = Object.keys(Object(schema["properties"])).sort();
  const required = [schema["required"]].flat().sort();
  if (schema["additionalProperties"] !== false) return "is open";
  return names.join() === required.join() ? "" : "has fields that are not required";
};

/** What a host that checks arguments itself must let through, so that the service can teach. */
const ofChecks: Rule = ({ schema, isOptional }) => {
  const types = [schema["type"]].flat();
  if (isOptional !== undefined && types.some((type) => typeof type !== "string"))
    return "has no type";
  if (schema["additionalProperties"] !== undefined) return "is closed";
  return isOptional === true && !types.includes("null") ? "takes no null" : "";
};

const RULES = { full: ofChecks, simple: ofGemini, strict: ofStrictMode } as const;

test("every listed schema is one that its hosts take", () => {
  const refused = LISTS.flatMap(({ form, name, tools }) =>
    tools.flatMap((tool) =>
      [...schemasIn(tool.inputSchema, tool.name)].flatMap(({ place, ...found }) => {
        const why = RULES[form](found);
        return why === "" ? [] : [`${name}: ${place} ${why}`];
      }),
    ),
  );
  assert.deepEqual(refused, []);
  assert.equal(LISTS.length, 18);
});

test("no list bounds a number of items", () => {
  const bounded = LISTS.flatMap(({ tools }) =>
    tools.flatMap((tool) =>
      [...schemasIn(tool.inputSchema, tool.name)].filter(
        ({ place, schema }) => place.endsWith(".limit") && "maximum" in schema,
      ),
    ),
  );
  assert.deepEqual(bounded, []);
});

eachEngine("null leaves a field out, in each tool", async (service) => {
  const { ask } = rawMcp(service, await service.register("ada"));
  const [{ tools } = { tools: [] }] = LISTS.filter(({ name }) =>
    /^closed .*=full&.*=all/.test(name),
  );
  assert.ok(tools.length > 60);
  for (const { name, inputSchema } of tools) {
    const { properties, required = [] } = inputSchema;
    const optional = Object.keys(Object(properties)).filter(
      (field) => ![required].flat().includes(field),
    );
    const problems = async (args: object) => {
      const { body } = await ask("tools/call", { name, arguments: args });
      return body.result.isError ? JSON.parse(body.result.content[0].text).details : [];
    };
    const nulls = Object.fromEntries(optional.map((field) => [field, null]));
    assert.deepEqual(await problems(nulls), await problems({}), name);
  }
});

eachEngine("what a strict or a simple host must send is taken", async (service) => {
  const ada = await service.register("ada");
  const { ask } = rawMcp(service, ada);
  await ada.post("/repo", { name: "Bridges", mission: "Stones that carry an arch." });
  const answerTo = async (name: string, args: object) => {
    const { body } = await ask("tools/call", { name, arguments: args });
    const { isError = false, content } = body.result;
    return { isError, ...JSON.parse(content[0].text) };
  };
  const files = [{ path: "a.md", text: "A stone.", base64: null, delete: null }];
  const commit = { repo_id: 1, summary: "A stone.", files, parent: null, dry_run: true };
  assert.equal((await answerTo("repo_commit", commit)).isError, false, "null in an item of a list");
  const request = { text: "Who carries?", parts: ['{"data":{"stones":2}}'], dry_run: true };
  const { isError, request: asked } = await answerTo("request_create", request);
  assert.deepEqual([isError, asked.parts.at(-1).data], [false, { stones: 2 }]);
  const inner = { name: "feed_list", arguments: '{"limit": 1}', dry_run: null };
  assert.equal((await answerTo("cairn_call", inner)).isError, false);
});

eachEngine("a limit above the bound is the bound, and the answer says so", async (service) => {
  const ada = await service.register("ada");
  const { ask } = rawMcp(service, ada);
  await ada.post("/post", { body: "A stone." });
  for (const [name, args] of [
    ["feed_list", { limit: 500 }],
    ["feed_list", { limit: "500" }],
    ["cairn_get", { id: "post 1", limit: 101 }],
    ["me_get", {}],
    ["inbox_list", { limit: 5_000 }],
    ["item_get", { kind: "post_replies", id: 1, limit: 500 }],
    ["cairn_call", { name: "claims_list", arguments: { limit: 200 } }],
  ] as const) {
    const { body } = await ask("tools/call", { name, arguments: args });
    const { structuredContent, isError } = body.result;
    assert.notEqual(isError, true, JSON.stringify(body));
    const { hints = [] } = structuredContent;
    assert.deepEqual(
      hints,
      name !== "me_get"
        ? [{ field: "limit", problem: "is at most 100, and was taken as 100" }]
        : [],
      name,
    );
  }
  for (const limit of [0, -1, 1.5, "many"]) {
    const { body } = await ask("tools/call", { name: "feed_list", arguments: { limit } });
    assert.match(body.result.content[0].text, /`limit` must be a whole number, 1 to 100/);
  }
});
