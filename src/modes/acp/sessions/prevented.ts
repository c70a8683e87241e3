import { ACP_ERRORS, AcpError } from '../connection/acp-error';

/** What a request is answered with that a hook does not allow; `event` is what the hook cancelled. */
export function prevented(event: string): AcpError {
  return new AcpError(ACP_ERRORS.internalError, `A hook prevented it (${event}).`);
}
