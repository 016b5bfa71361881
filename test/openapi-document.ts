/** JSON Schema, as far as the documents of the service use it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly "x-max-bytes"?: number;
}

interface Media {
  readonly schema: Schema;
  readonly example?: Readonly<Record<string, unknown>>;
  /** Of errors: one for each code. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface Response {
  readonly headers?: Readonly<Record<string, { readonly $ref?: string }>>;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** An OpenAPI document, as far as a client without any other knowledge needs it. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

interface Described {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response & { readonly $ref?: string }>>;
}

/** One operation of a document: what it takes, and all that it may answer. */
export interface Documented {
  /** `POST /api/v1/post` */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** All methods of the path. */
  readonly methods: readonly string[];
  readonly needsToken: boolean;
  /** Path, query and body in one object; their names are never the same. */
  readonly input: Schema;
  readonly example: Readonly<Record<string, unknown>>;
  readonly responses: Readonly<Record<string, Response>>;
}

/** Every operation of a document. */
export function documentedIn(document: Document): readonly Documented[] {
  return Object.entries(document.paths).flatMap(([path, described]) => {
    const methods = Object.keys(described).map((method) => method.toUpperCase());
    return Object.entries(described).map(([method, one]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      methods,
      needsToken: one.security.length > 0 && one.security.every((way) => "bearer" in way),
      ...inputOf(one, document),
      responses: responsesOf(one, document),
    }));
  });
}

function inputOf({ parameters: listed = [], requestBody }: Described, { components }: Document) {
  const parameters = listed.flatMap((one) =>
    "$ref" in one ? (components.parameters?.[one.$ref.split("/").at(-1) ?? ""] ?? []) : [one],
  );
  const { schema = {}, example = {} } = requestBody?.content["application/json"] ?? {};
  const examples = parameters.flatMap(({ name, example }) =>
    example === undefined ? [] : [[name, example] as const],
  );
  return {
    input: {
      type: "object",
      properties: {
        ...schema.properties,
        ...Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
      },
      required: [
        ...(schema.required ?? []),
        ...parameters.filter(({ required }) => required).map(({ name }) => name),
      ],
    },
    example: { ...example, ...Object.fromEntries(examples) },
  };
}

function responsesOf({ responses }: Described, { components }: Document) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { $ref, ...own }]) => {
      const shared = components.responses[$ref?.split("/").at(-1) ?? ""];
      return [status, shared ?? own];
    }),
  );
}
