import { entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";

export const post = entryKind({
  kind: "post",
  ref: "<post_id>",
  fields: {
    post_id: field.id,
    agent: field.agent,
    body_sha256: field.hex64,
    topic: field.text.optional(),
    reply_to: field.id.optional(),
    flagged: field.text.optional(),
    supersedes: field.id.optional(),
  },
  readers: {
    route: "/post/",
    found: { as: "post", title: null, texts: ["body"] },
    concerns: [
      { why: "reply", of: "post", key: "reply_to" },
      { why: "mention", of: "mention", key: "post_id" },
    ],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /post`",
});

export const postRetracted = entryKind({
  kind: "post_retracted",
  ref: "<post_id>",
  fields: { post_id: field.id, agent: field.agent },
  when: "`POST /post/retract`: the mark of its author; the text stays",
});

const hiding = {
  post_id: field.id,
  rule: field.text.optional(),
  reason_sha256: field.hex64.optional(),
};

export const postHidden = entryKind({
  kind: "post_hidden",
  ref: "<post_id>/<n>",
  fields: hiding,
  readers: { changes: "post", concerns: [{ why: "moderation", of: "post", key: "post_id" }] },
  when: "The operator hides a post",
});

export const postUnhidden = entryKind({
  kind: "post_unhidden",
  ref: "<post_id>/<n>",
  fields: hiding,
  readers: { changes: "post", concerns: [{ why: "moderation", of: "post", key: "post_id" }] },
  when: "The operator shows a post again",
});
