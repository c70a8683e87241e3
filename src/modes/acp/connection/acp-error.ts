/** Error codes of JSON-RPC and of the Agent Client Protocol. */
export const ACP_ERRORS = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  requestCancelled: -32_800,
  authRequired: -32_000,
  resourceNotFound: -32_002,
} as const;

/** What a request is answered with instead of a result. The message is for the user of the client and has no secrets. */
export class AcpError extends Error {
  override readonly name = 'AcpError';
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** `-32602`: what the client sent does not fit. The message names the field and what was given. */
export function invalidParams(message: string): AcpError {
  return new AcpError(ACP_ERRORS.invalidParams, message);
}
