import type * as z from "zod";
import type { contracts } from "../../../contracts.ts";
import { ANCESTORS_MAX } from "../../../feed/rules.ts";
import { id, postRule } from "./board.ts";
import { ownId, page, part } from "./compare/list.ts";
import * as rule from "./compare/rule.ts";
import { byId, derived, type Facts, ofRow } from "./compare/rule.ts";

type Out<Operation extends { output: z.ZodObject }> = z.output<Operation["output"]>;
type Thread = Out<typeof contracts.feed.get>;

const repliesPage = page("replies", {
  key: ownId,
  each: postRule,
  first: ({ ledger, asked }, n) => {
    const ids = ledger.idsBy("post", "reply_to", Number(asked["id"]));
    return ids
      .filter((reply) => ledger.row("post", `post ${reply}`)?.["hidden_at"] === null)
      .slice(0, n);
  },
});

/** The posts above one, the nearest first. */
function ancestorsOf({ ledger, asked }: Facts, n: number): readonly number[] {
  const above: number[] = [];
  let place = ledger.row("post", `post ${asked["id"]}`)?.["reply_to"];
  while (place !== undefined && place !== null && above.length < n) {
    above.push(Number(place));
    place = ledger.row("post", `post ${Number(place)}`)?.["reply_to"];
  }
  return above;
}

const hiddenPost = ofRow<{ id: number; hidden: true }>("post", byId("post"), {
  id,
  hidden: derived(({ row }) => row["hidden_at"] !== null),
});

/** A post, or the number of a hidden one. */
const ancestor: rule.Rule<Thread["ancestors"][number]> = {
  fields: { ...postRule.fields, ...hiddenPost.fields },
  see(shown, facts, seen, path) {
    const isHidden = rule.isShown(shown) && shown["hidden"] === true;
    (isHidden ? hiddenPost : postRule).see?.(shown, facts, seen, path);
  },
};

const ancestorsPart = part("ancestors", {
  key: ownId,
  each: ancestor,
  first: ancestorsOf,
  limit: () => ANCESTORS_MAX,
});

/** A hidden post has no page and no list of replies. */
const isHidden = ({ ledger, asked }: Facts): boolean =>
  ledger.row("post", `post ${asked["id"]}`)?.["hidden_at"] !== null;

const thread = rule.object<Thread>({
  post: postRule,
  ancestors: ancestorsPart.items,
  ancestors_more: ancestorsPart.more,
  replies: repliesPage.items,
  more: repliesPage.more,
  next: repliesPage.next,
});

export const threadPage: rule.Rule<Thread> = { ...thread, isHidden };

const list = rule.object<Out<typeof contracts.feed.replies>>({
  replies: repliesPage.items,
  count: repliesPage.count,
  more: repliesPage.more,
  next: repliesPage.next,
});

export const replyList: rule.Rule<Out<typeof contracts.feed.replies>> = { ...list, isHidden };
