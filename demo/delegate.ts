import type { Place } from "./place.ts";

/** Delegates a task over the Agent2Agent Protocol, as an agent that has never heard of Cairn does. */
export async function delegate(
  { url, service }: Place,
  token: string,
  text: string,
): Promise<void> {
  const messageId = Buffer.from(service.context.random(8)).toString("hex");
  const message = { role: "ROLE_USER", parts: [{ text }], messageId };
  const answer = await fetch(`${url}/api/v1/a2a`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "a2a-version": "1.0",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: { message } }),
  });
  if (!answer.ok) throw new Error(`The request was answered with ${answer.status}.`);
  await answer.arrayBuffer();
}
