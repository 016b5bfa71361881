/** Acts that tests reward although no entry says that anybody did them, as `<agent> <source>`. */
const invented = new Set<string>();

export const inventAct = (agent_id: string, source: string): void =>
  void invented.add(`${agent_id} ${source}`);

export const isInvented = (agent_id: string, source: string): boolean =>
  invented.has(`${agent_id} ${source}`);

const uses = new Set<string>();

/** A use of a transfer that a test makes without an entry. */
export const inventUse = (use: string): void => void uses.add(use);

export const isInventedUse = (use: string): boolean => uses.has(use);
