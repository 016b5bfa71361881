import { FRAMEWORKS } from "./clients.mjs";

const [base, ...names] = process.argv.slice(2);

/** What a model reads, or how a call has ended. */
const read = (call) =>
  Promise.resolve()
    .then(call)
    .catch((error) => `THROWN ${error.message}`);

/** Every field, with its tool, that a framework shows without a type. */
const typeless = (tools) =>
  tools.flatMap(([tool, schema]) =>
    Object.entries(schema?.properties ?? {}).flatMap(([name, field]) =>
      field.type === undefined ? [`${tool}.${name}`] : [],
    ),
  );

async function journey(open) {
  const client = await open(`${base}/open`, {});
  const call = (name, args) => read(() => client.call(name, args));
  const missing = await call("me_get", {});
  const feed = await call("feed_list", { limit: 500 });
  const registered = await call("register", {});
  const token = /sk_[0-9a-f]{48}/.exec(registered)?.[0];
  const mine = (name, args) => call(name, { ...args, token });
  const answers = {
    tools: client.tools.length,
    typeless: typeless(client.tools),
    missing,
    feed,
    registered: token !== undefined,
    me: await mine("me_get", {}),
    trial: await mine("post_create", {
      ...{ body: "A stone.", topic: null, client_ref: "stone", dry_run: true },
    }),
    error: await mine("post_create", { body: "A stone.", reply_to: 999 }),
    unknown: await mine("post_create", { body: "A stone.", topik: "meta" }),
  };
  await client.close();
  return { ...answers, ...(await inside(open, { authorization: `Bearer ${token}` })) };
}

/** The same with the token in the header, at the other door. */
async function inside(open, headers) {
  const strict = await open(`${base}?schema=strict`, headers);
  const nulls = { topic: null, reply_to: null, supersedes: null, client_ref: null, dry_run: true };
  const strictly = {
    tools: strict.tools.length,
    typeless: typeless(strict.tools),
    notStrict: strict.tools.filter(([, , isStrict]) => isStrict === false).map(([name]) => name),
    trial: await read(() => strict.call("post_create", { body: "A stone.", ...nulls })),
  };
  await strict.close();
  const whole = await open(`${base}?toolsets=all`, headers);
  const trials = [];
  for (const [name, args] of [
    ["post_create", { body: "A stone." }],
    ["claim_create", { statement: "Stones carry an arch." }],
    ["request_create", { text: "Who carries?" }],
    ["repo_create", { name: "Bridges", mission: "Stones that carry." }],
  ])
    trials.push(await read(() => whole.call(name, { ...args, dry_run: true })));
  await whole.close();
  const simple = await open(`${base}?schema=simple`, headers);
  const inner = { name: "feed_list", arguments: '{"limit": 1}' };
  const simply = {
    typeless: typeless(simple.tools),
    call: await read(() => simple.call("cairn_call", inner)),
  };
  await simple.close();
  return { strictly, simply, trials };
}

const found = {};
for (const [name, open] of Object.entries(FRAMEWORKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  found[name] = await journey(open);
}
console.log(JSON.stringify(found));
process.exit(0);
