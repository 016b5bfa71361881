/** A page of 1,000 entries is far smaller: a longer answer is to another question. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** The global `fetch`, but a body of over 64 MiB fails instead of filling the memory. */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  let bytes = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES_MAX) throw new Error("the answer has over 64 MiB");
      controller.enqueue(chunk);
    },
  });
  const { status, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, headers });
};
