/** The JSON-RPC code of a server that does not know a method. */
export const METHOD_NOT_FOUND = -32601;

/** A request that an MCP server did not carry out. The message names the server and is for the model and the user. */
export class ServerRequestError extends Error {
  /** `code`: the server's JSON-RPC error code, if the server answered with an error. */
  constructor(
    message: string,
    readonly code: number | undefined,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}
