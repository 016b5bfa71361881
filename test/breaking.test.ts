import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { breakingChanges, type Wire } from "./breaking.ts";
import { catalogue, openapi, tools } from "./wire.ts";

const RELEASED = new URL("golden/released/", import.meta.url);
const WAY_OUT =
  "This breaks clients of the released wire. Undo it; or raise PROTOCOL_VERSION and VERSION in src/surfaces/describe/catalogue.ts and announce that (spec: Versioning, row 4).";

/**
 * Changes without a new protocol version: corrections after the specification
 * (docs/decisions/0030-corrected-shapes-of-a-contribution.md), and the mark of an asker's own answers, which nobody can
 * write any more (docs/decisions/0037-who-closes-a-request.md). The next release begins with an empty list.
 */
const CORRECTED = [
  "POST /api/v1/contribute, 201: body.contribution.amount is null or string, and was string.",
  "POST /api/v1/contribute, 201: body.contribution.verified is not always false any more.",
  "GET /api/v1/contributions, 200: body.contributions[].amount is null or string, and was string.",
  "GET /api/v1/contributions, 200: body.contributions[].verified is not always false any more.",
  "POST /api/v1/request/answer, 201: body.answer.own is gone.",
  "GET /api/v1/request/{id}, 200: body.answers[].own is gone.",
];

const current: Wire = JSON.parse(JSON.stringify({ catalogue, openapi, tools }));

test("a client of the last release still can speak with this one", (t) => {
  if (!existsSync(RELEASED)) return t.skip("Nothing is released yet; see npm run release:wire.");
  const read = (name: string) =>
    JSON.parse(readFileSync(new URL(`${name}.json`, RELEASED), "utf8"));
  const released = {
    catalogue: read("catalogue"),
    openapi: read("openapi"),
    tools: read("tools"),
  };
  assert.deepEqual(breakingChanges(released, current), CORRECTED, WAY_OUT);
});

test("the documents of today break nothing of today", () =>
  assert.deepEqual(breakingChanges(current, current), []));

const ERROR = { schema: { $ref: "#/components/schemas/Error" } };

/** A wire that has one of everything that can break. */
const WIRE = {
  catalogue: {
    protocol_version: 1,
    routes: [
      { method: "POST", path: "/x", sends: ["text", "n?"], returns: ["id"], mcp_tool: "x_do" },
      { method: "GET", path: "/y", sends: [], returns: ["y"], mcp_tool: null },
    ],
    documents: { skill: "/skill.md" },
  },
  openapi: {
    paths: {
      "/x": {
        post: {
          security: [{}, { bearer: [] }],
          requestBody: {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    text: { type: "string", minLength: 1, maxLength: 80, pattern: "^a" },
                    n: { anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }], default: 5 },
                    way: { type: "string", enum: ["up", "down"] },
                    list: { type: "array", maxItems: 3, items: { type: "boolean" } },
                  },
                  required: ["text"],
                },
              },
            },
          },
          responses: {
            201: {
              headers: { ETag: {} },
              content: {
                "application/json": {
                  schema: {
                    type: "object",
                    properties: {
                      id: { type: "integer" },
                      verified: { type: "boolean", const: false },
                      topic: { type: ["string", "null"] },
                      state: { type: "string", enum: ["open"] },
                      lines: {
                        type: "array",
                        items: {
                          oneOf: [
                            { type: "object", properties: { a: { type: "number" } } },
                            { type: "object", properties: { b: { type: "number" } } },
                          ],
                        },
                      },
                    },
                    required: ["id", "verified", "topic"],
                  },
                },
              },
            },
            409: {
              content: { "application/json": { ...ERROR, examples: { taken: {}, closed: {} } } },
            },
          },
        },
      },
    },
    components: {
      schemas: { Error: { type: "object", properties: { error: { type: "string" } } } },
      responses: {},
    },
  },
  tools: [
    {
      name: "x_do",
      inputSchema: { type: "object", properties: { text: { type: "string", maxLength: 81 } } },
      outputSchema: { type: "object", required: ["ok", "id"] },
    },
  ],
} satisfies Wire;

/** The wire with one text of its JSON replaced. */
function edited(from: string, to: string): Wire {
  const text = JSON.stringify(WIRE);
  assert.equal(text.split(from).length, 2, `${from} is in the wire, once`);
  return JSON.parse(text.replace(from, () => to));
}

/** Edits that break, and the line that tells. */
const BREAKING: readonly (readonly [from: string, to: string, line: string])[] = [
  ['"/skill.md"', '"/s.md"', "catalogue: the document skill is not at /skill.md."],
  ['"method":"GET"', '"method":"POST"', "catalogue: GET /y is gone."],
  ['"n?"', '"n?","m"', "catalogue: POST /x requires m."],
  ['"text","n?"', '"text"', "catalogue: POST /x takes no n."],
  ['"returns":["id"]', '"returns":["ids"]', "catalogue: POST /x returns no id."],
  ['"mcp_tool":"x_do"', '"mcp_tool":null', "catalogue: POST /x is not the tool x_do."],
  ['"name":"x_do"', '"name":"do_x"', "tool x_do: it is gone."],
  ['"maxLength":81', '"maxLength":8', "tool x_do: input.text has the maxLength 8, and had 81."],
  ['["ok","id"]', '["ok"]', "tool x_do: it returns no id."],
  ['"/x":{"post"', '"/x":{"put"', "POST /x: it is gone."],
  ['[{},{"bearer":[]}]', '[{"bearer":[]}]', "POST /x: it needs a token."],
  ['"maxLength":80', '"maxLength":8', "POST /x: input.text has the maxLength 8, and had 80."],
  ['"minLength":1', '"minLength":2', "POST /x: input.text has the minLength 2, and had 1."],
  ['"minimum":0', '"minimum":0,"maximum":9', "POST /x: input.n has the maximum 9, and had none."],
  ['"^a"', '"^b"', "POST /x: input.text has the pattern ^b, and had ^a."],
  ['"default":5', '"default":6', "POST /x: input.n is 6 by default, and was 5."],
  [
    '{"type":"integer","minimum":0},{"type":"null"}',
    '{"type":"null"}',
    "POST /x: input.n takes null, and took integer.",
  ],
  ['["up","down"]', '["up"]', "POST /x: input.way takes down no more."],
  ['"boolean"}', '"string"}', "POST /x: input.list[] takes string, and took boolean."],
  ['["text"]', '["text","way"]', "POST /x: input.way is required now."],
  ['"way":', '"ways":', "POST /x: input.way is gone."],
  ['"201":', '"200":', "POST /x: it answers 201 no more."],
  ['"ETag":{}', "", "POST /x, 201: the header ETag is gone."],
  [
    '"id":{"type":"integer"}',
    '"id":{"type":"string"}',
    "POST /x, 201: body.id is string, and was integer.",
  ],
  ['"const":false', '"const":true', "POST /x, 201: body.verified is not always false any more."],
  ['["string","null"]', '"string"', "POST /x, 201: body.topic is string, and was null or string."],
  ['"verified","topic"]', '"verified"]', "POST /x, 201: body.topic is not always there any more."],
  ['"state":', '"status":', "POST /x, 201: body.state is gone."],
  ['"a":', '"c":', "POST /x, 201: body.lines[].a is gone."],
  ['"closed":{}', '"close":{}', "POST /x, 409: the code closed is gone."],
  ['"error":{"type":"string"}', "", "POST /x, 409: body.error is gone."],
];

for (const [from, to, line] of BREAKING) {
  test(`a breaking change is named: ${line}`, () => {
    const changes = breakingChanges(WIRE, edited(from, to));
    assert.deepEqual(changes, [line]);
  });
}

const HARMLESS: readonly (readonly [from: string, to: string, what: string])[] = [
  ['"/skill.md"', '"/skill.md","llms":"/llms.txt"', "a document"],
  ['"n?"', '"n?","m?"', "an optional field"],
  ['["text","n?"]', '["text?","n?"]', "a field that is optional now"],
  ['"returns":["id"]', '"returns":["id","more"]', "a field of an answer in the catalogue"],
  ['"mcp_tool":null', '"mcp_tool":"y_get"', "a tool for a route that had none"],
  ['{"/x":', '{"/z":{},"/x":', "a route"],
  ['"maxLength":80', '"maxLength":90', "a bound that is raised"],
  [',"pattern":"^a"', "", "a pattern that is gone"],
  ['["up","down"]', '["up","down","left"]', "a value of an input"],
  ['"required":["text"]', '"required":[]', "an input that is optional now"],
  [
    '"type":"string","enum":["up","down"]',
    '"type":["string","null"],"enum":["up","down"]',
    "a type of an input",
  ],
  [
    '"id":{"type":"integer"}',
    '"id":{"type":"integer"},"more":{"type":"null"}',
    "a field of an answer",
  ],
  ['["open"]', '["open","closed"]', "a value of an answer"],
  ['"taken":{}', '"taken":{},"late":{}', "an error code"],
  ['"409":', '"410":{},"409":', "an answer"],
];

for (const [from, to, what] of HARMLESS)
  test(`an addition breaks nothing: ${what}`, () =>
    assert.deepEqual(breakingChanges(WIRE, edited(from, to)), []));

test("a new protocol version may break everything", () => {
  const next = edited('"protocol_version":1', '"protocol_version":2');
  assert.deepEqual(breakingChanges(WIRE, { ...next, tools: [] }), []);
});
