/** A line that cannot steer a terminal: servers and files are strangers. */
export const plain = (line: string): string => line.replace(/\p{C}/gu, "\ufffd");
