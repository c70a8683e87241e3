import type { JsonObject } from '@mariozechner/pi-ai';
import { isRecord } from '../base/json/is-record';

/** A call from a stream or a file. Its arguments may be anything. */
export interface GivenCall {
  readonly arguments?: unknown;
  readonly argumentsError?: string;
}

/**
 * The call as it is stored and sent. If the arguments are not an object, they become `{}`, and `argumentsError` contains what was
 * given, as in pi-ai: the call never runs, and the model gets the error as its result. Missing arguments count as `{}`.
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
