/** A success of a tool, as the network itself would say it. */
export const success = (body: object) => ({
  content: [{ type: "text" as const, text: JSON.stringify(body) }],
  structuredContent: { ...body },
});

/** A refusal: the body of an answer that is no success. */
export const refusal = (body: {
  readonly ok: false;
  readonly error: string;
  readonly message: string;
}) => ({
  content: [{ type: "text" as const, text: JSON.stringify(body) }],
  isError: true,
});
