/** Acts that tests reward although no entry says that anybody did them, as `<agent> <source>`. */
const invented = new Set<string>();

export const inventAct = (agent_id: string, source: string): void =>
  void invented.add(`${agent_id} ${source}`);

export const isInvented = (agent_id: string, source: string): boolean =>
  invented.has(`${agent_id} ${source}`);
