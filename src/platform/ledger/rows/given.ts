import type { Selectable } from "kysely";
import type { Tables } from "../../db/tables.ts";
import type { Body, EntryKind } from "../../kernel/contract/entry-kind.ts";
import type { Folded, Id, Made, Text, Unsealed } from "./columns.ts";
import type { AgentFieldsOf, Changes, Changing, EachOf, Making, Name } from "./effects.ts";

type ColumnsMade<E> = E extends Making<Name, infer C> ? C : never;
type TextFieldsOf<C> =
  EachOf<C> extends infer Col ? (Col extends Text<infer F> ? F : never) : never;
type IdFieldsOf<C> = EachOf<C> extends infer Col ? (Col extends Id<infer F> ? F : never) : never;

/** What an effect asks for under the names of its columns. */
type TextsOf<C, B> = {
  readonly [K in keyof C as IsOfText<C[K], B> extends "required" ? K : never]: string | null;
} & {
  readonly [K in keyof C as IsOfText<C[K], B> extends "optional" ? K : never]?:
    | string
    | null
    | undefined;
};
type IsOfText<Col, B> =
  Col extends Text<infer F>
    ? F extends keyof B
      ? undefined extends B[F]
        ? "optional"
        : "required"
      : "optional"
    : "none";
type UnsealedOf<T extends Name, C> = {
  readonly [K in keyof C as C[K] extends Unsealed<"writer"> | Made
    ? K
    : never]: K extends keyof Selectable<Tables[T]> ? Selectable<Tables[T]>[K] : never;
};
type WrittenOf<T extends Name, C> = {
  readonly [K in keyof C as C[K] extends Made | Folded ? K : never]?: K extends keyof Selectable<
    Tables[T]
  >
    ? Selectable<Tables[T]>[K]
    : never;
};
type GivenBy<E, B> =
  E extends Making<infer T, infer C>
    ? TextsOf<C, B> & UnsealedOf<T, C> & WrittenOf<T, C>
    : E extends Changing<infer T, infer S, string>
      ? TextsOf<S, B> & UnsealedOf<T, S> & WrittenOf<T, S>
      : never;

type Together<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void
  ? I
  : never;
type Flat<T> = { [K in keyof T]: T[K] };

/** The row of an agent by both its names. */
export interface AgentRef {
  readonly id: number;
  readonly agent_id: string;
}

/** What a field is given as: an optional one may be null. */
type OrNull<T> = { readonly [K in keyof T]: undefined extends T[K] ? T[K] | null : T[K] };

type Each<E> = E extends readonly (infer Of)[] ? Of : never;
type SetsOf<E> = E extends Changing<Name, infer S, string> ? S : never;
type Told<E> = TextFieldsOf<ColumnsMade<E>> | TextFieldsOf<SetsOf<E>> | IdFieldsOf<ColumnsMade<E>>;
type Drawn<E> = { readonly [F in IdFieldsOf<ColumnsMade<E>>]?: number };
type Agents<E> =
  | AgentFieldsOf<ColumnsMade<E>>
  | (E extends Changing<Name, Changes, infer A> ? A : never);

/** The count in the name of the entry, where no row has it; the row as it was, where a change depends on it. */
interface More<E> {
  readonly n?: number;
  /** Null: the entry does not say when it was made, where its kind leaves that open. */
  readonly made_at?: null;
  readonly before?: E extends Changing<infer T, Changes, string>
    ? Readonly<Partial<Selectable<Tables[T]>>>
    : never;
}

/** What a writer gives for an entry and its rows: fields by their names, texts and unsealed columns by theirs. */
export type Given<K extends EntryKind, E> =
  K extends EntryKind<string, infer Fields>
    ? Flat<
        OrNull<Omit<Body<Fields>, Told<Each<E>> | Agents<Each<E>> | "made_at">> & {
          readonly [F in Agents<Each<E>>]: F extends keyof Body<Fields>
            ? undefined extends Body<Fields>[F]
              ? AgentRef | null
              : AgentRef
            : never;
        } & Together<GivenBy<Each<E>, Body<Fields>>> &
          Drawn<Each<E>> &
          More<Each<E>>
      >
    : never;
