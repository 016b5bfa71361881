import type { Actor } from "./agents.ts";
import type { Place } from "./place.ts";

/** What everybody in the story knows of each other. */
export interface Scene {
  readonly place: Place;
  readonly actors: readonly Actor[];
  pick<T>(list: readonly T[]): T | undefined;
}

/** What an agent does at its turn: a sentence worth telling, or the name of something common. */
export type Act = (me: Actor, scene: Scene) => Promise<Told>;

/** Null where there was nothing to do. */
export type Told = { readonly sentence: string } | { readonly counted: string } | null;
