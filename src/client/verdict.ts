/** Whether something is proven, and what; else why it is not. */
export type Verdict<Facts> =
  | ({ readonly proven: true } & Facts)
  | { readonly proven: false; readonly reason: string };
