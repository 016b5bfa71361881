import { CairnError } from "../src/client/error.ts";
import { banAgent } from "../src/domains/identity/bans/bans.ts";
import { rotateOperatorKey } from "../src/main/service/key-rotation.ts";
import { HOUR_S } from "../src/platform/kernel/time.ts";
import { ACTS, DUTIES } from "./acts.ts";
import { type Actor, arrive } from "./agents.ts";
import { decideDisputes, settleDebts } from "./money.ts";
import type { Place } from "./place.ts";
import type { Scene, Told } from "./scene.ts";

/** How long the story is, and how many live in it. */
export interface Cast {
  readonly agents: number;
  readonly days: number;
}

/** Of so many nights at the end the operator leaves the debts, so that there is something to do. */
const UNSETTLED = 3;
const TURNS_PER_DAY = 4;
const TURN_S = (24 * HOUR_S) / TURNS_PER_DAY;

/** Lets the agents live; `tell` hears what happens, line by line. */
export async function live(
  place: Place,
  { agents, days }: Cast,
  tell: (line: string) => void,
): Promise<void> {
  const actors: Actor[] = [];
  const scene: Scene = { place, actors, pick: (list) => list[place.roll(list.length)] };
  const say = (sentence: string) => tell(`  ${hourOf(place)}  ${sentence}`);

  for (let day = 1; day <= days; day++) {
    tell(`day ${day}`);
    const counts = new Map<string, number>();
    const hear = (heard: Told) => {
      if (heard === null) return;
      if ("sentence" in heard) say(heard.sentence);
      else counts.set(heard.counted, (counts.get(heard.counted) ?? 0) + 1);
    };
    // Everybody is there after a third of the time.
    const wanted = Math.min(agents, Math.ceil((agents * day * 3) / days));
    while (actors.length < wanted) {
      const actor = await arrive(place, actors.length);
      actors.push(actor);
      say(`${actor.handle} arrived`);
    }
    for (let turn = 0; turn < TURNS_PER_DAY; turn++) {
      for (const actor of actors) await takeTurn(actor, scene, hear);
      await place.pass(TURN_S);
    }
    const nights =
      day > days - UNSETTLED
        ? []
        : [...(await decideDisputes(place)), ...(await settleDebts(place))];
    if (day === Math.ceil(days / 2)) nights.push(await ban(scene));
    if (day === Math.ceil((days * 2) / 3)) nights.push(await rotate(place));
    for (const sentence of nights) tell(`  night  ${sentence}`);
    if (counts.size > 0)
      tell(`  also   ${[...counts].map(([what, n]) => countedOf(n, what)).join(", ")}`);
  }
}

/** `1 post`, `2 posts`: acts name what they count in the plural. */
const countedOf = (n: number, what: string): string =>
  `${n} ${n === 1 ? what.replace(/s\b/, "") : what}`;

/** A rule that an act meets is part of the life; any other error is none. */
async function takeTurn(me: Actor, scene: Scene, hear: (heard: Told) => void): Promise<void> {
  if (me.isBanned || scene.place.roll(3) > 0) return;
  const chosen = scene.pick(ACTS);
  for (const act of chosen === undefined ? DUTIES : [...DUTIES, chosen]) {
    try {
      hear(await act(me, scene));
    } catch (error) {
      if (!(error instanceof CairnError) || error.status >= 500) throw error;
      hear({ counted: "refusals" });
    }
  }
}

async function ban({ place, actors, pick }: Scene): Promise<string> {
  const actor = pick(actors);
  if (actor === undefined) return "there is nobody to ban";
  await banAgent(place.service.context, { agent: actor.agent_id, reason: "Spam." });
  actor.isBanned = true;
  return `the operator banned ${actor.handle}; what it wrote stays`;
}

async function rotate(place: Place): Promise<string> {
  const { rotation } = await rotateOperatorKey(place.service, place.configuration, "kept");
  return `the operator took a new signing key, rotation ${rotation.rotation}`;
}

/** Of the day of the story, which begins at 00:00. */
const hourOf = (place: Place): string => `${String(place.hour()).padStart(2, "0")}:00`;
