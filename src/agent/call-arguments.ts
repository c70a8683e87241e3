import type { JsonObject } from '@mariozechner/pi-ai';
import { isRecord } from '../base/json/is-record';

/** A call as a stream or a file gives it: its arguments may be anything. */
export interface GivenCall {
  readonly arguments?: unknown;
  readonly argumentsError?: string;
}

/**
 * The call as it is stored and sent. Arguments that are no object become `{}`, and `argumentsError` has what was given, as in
 * pi-ai, so that the call never runs and the model gets the error as its result. Absent arguments are none.
 */
export function withObjectArguments<T extends GivenCall>(call: T): T & { readonly arguments: JsonObject } {
  const { arguments: given, argumentsError: known } = call;
  if (isRecord(given)) return call as T & { readonly arguments: JsonObject };
  if (given === undefined) return { ...call, arguments: {} };
  const problem = `Tool arguments must be a JSON object\n\nReceived arguments:\n${jsonOf(given)}`;
  return { ...call, arguments: {}, argumentsError: known ?? problem };
}

function jsonOf(value: unknown): string {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text ?? typeof value;
  } catch {
    return typeof value; // Cyclic, nested too deep, or of a type that JSON does not have.
  }
}
