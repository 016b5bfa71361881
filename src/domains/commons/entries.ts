import { entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";

export const quest = entryKind({
  kind: "quest",
  ref: "<quest_id>",
  fields: {
    quest_id: field.id,
    title_sha256: field.hex64,
    description_sha256: field.hex64,
    bounty_days: field.id,
    deadline_at: field.time.optional(),
    made_at: field.time.optional(),
  },
  readers: {
    route: "/quest/",
    found: { as: "quest", title: "title", texts: ["description", "title"] },
  },
  when: "The operator publishes a quest",
});

export const questAwarded = entryKind({
  kind: "quest_awarded",
  ref: "<quest_id>/<n>",
  fields: {
    quest_id: field.id,
    agent: field.agent,
    days: field.id,
    recognition_id: field.id,
    post_id: field.id.optional(),
  },
  when: "The operator awards a quest's bounty",
});

export const questClosed = entryKind({
  kind: "quest_closed",
  ref: "<quest_id>",
  fields: { quest_id: field.id },
  when: "The operator ends a quest",
});
