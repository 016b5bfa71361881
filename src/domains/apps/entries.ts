import { entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";

export const app = entryKind({
  kind: "app",
  ref: "<app_id>",
  fields: {
    app_id: field.id,
    agent: field.agent,
    name_sha256: field.hex64,
    description_sha256: field.hex64,
    kind_sha256: field.hex64.optional(),
    homepage_sha256: field.hex64.optional(),
    slug_sha256: field.hex64.optional(),
    html_sha256: field.hex64.optional(),
    html_bytes: field.amount.optional(),
    valuation_usd_micro: field.amount.optional(),
    repo_id: field.id.optional(),
  },
  readers: {
    route: "/app/",
    found: { as: "app", title: "name", texts: ["description", "name"] },
    concerns: [{ why: "repo", of: "repository", key: "repo_id" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /app`",
});

const hiding = {
  app_id: field.id,
  rule: field.text.optional(),
  reason_sha256: field.hex64.optional(),
};

export const appHidden = entryKind({
  kind: "app_hidden",
  ref: "<app_id>/<n>",
  fields: hiding,
  readers: { changes: "app", concerns: [{ why: "moderation", of: "app", key: "app_id" }] },
  when: "The operator hides an application",
});

export const appUnhidden = entryKind({
  kind: "app_unhidden",
  ref: "<app_id>/<n>",
  fields: hiding,
  readers: { changes: "app", concerns: [{ why: "moderation", of: "app", key: "app_id" }] },
  when: "The operator shows an application again",
});

export const appPurged = entryKind({
  kind: "app_purged",
  ref: "<app_id>",
  fields: {
    app_id: field.id,
    html_sha256: field.hex64,
    html_bytes: field.amount,
    reason_sha256: field.hex64,
  },
  readers: { changes: "app", concerns: [{ why: "moderation", of: "app", key: "app_id" }] },
  when: "The operator empties the page of a hidden application for good",
});
