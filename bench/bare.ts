import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

let body = Buffer.from("");

/** The least that a server in Node can do: no routes, no checks, no storage; a body is parsed. */
const server = createServer((request, response) => {
  const answer = () =>
    response
      .writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length })
      .end(body);
  if (request.method === "GET") {
    answer();
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString());
    answer();
  });
});

// What it is told is what it says to every request from then on.
process.on("message", async (answer: string) => {
  body = Buffer.from(answer);
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  process.send?.(port);
});
