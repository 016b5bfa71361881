import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { OnDisconnect } from "../../platform/kernel/contract/operation.ts";

/** Of each connection on which somebody waits: one listener for all, as requests may be pipelined. */
const waiting = new WeakMap<Socket, Set<() => void>>();

/** Tells that the connection of a request has closed, even while answers to others come before it. */
export const onDisconnect =
  ({ socket }: IncomingMessage): OnDisconnect =>
  (end) => {
    const ends = waiting.get(socket) ?? listen(socket);
    ends.add(end);
    if (socket.destroyed) queueMicrotask(end);
    return () => void ends.delete(end);
  };

function listen(socket: Socket): Set<() => void> {
  const ends = new Set<() => void>();
  waiting.set(socket, ends);
  socket.once("close", () => {
    for (const end of ends) end();
  });
  return ends;
}
