import type { JsonObject, NestedToolCallRecord, NestedToolCalls, ToolCall, Usage } from '@mariozechner/pi-ai';
import { addUsage, NO_USAGE } from '../session/usage';
import { defined } from '../../base/defined';

/** Limits of the record of the calls below one call of the model, as in pi. */
export const MOST_NESTED_CALLS = 256;
const MOST_BYTES_PER_CALL = 8 * 1024;
const MOST_BYTES = 32 * 1024;
const LONGEST_ERROR = 500;

/** The record of nested calls in the result message of a call of the model. */
export interface NestedRecord {
  readonly nestedCalls: NestedToolCalls;
  /** The usage of models in these calls, at every depth. */
  readonly usage?: Usage;
}

/** Notes the calls below one call of the model: what each was, how it ended, and what all of them used. */
export class NestedRecorder {
  private readonly calls: NestedToolCallRecord[] = [];
  private isComplete = true;
  private bytes = 0;
  private usage: Usage | undefined;

  /** To be called when a call begins. Returns a function to call at its end. */
  begin({ id, name, arguments: args }: ToolCall): (end: NestedEnd) => void {
    const at = this.calls.length;
    const began = performance.now();
    if (at >= MOST_NESTED_CALLS) {
      this.isComplete = false;
      return ({ usage }) => this.count(usage);
    }
    const call: NestedToolCallRecord = { id, name, ...this.kept(args), status: 'unfinished' };
    this.calls.push(call);
    return ({ error, usage }) => {
      const durationMs = Math.round(performance.now() - began);
      const why = error === undefined || error === '' ? {} : { error: error.slice(0, LONGEST_ERROR) };
      this.calls[at] = { ...call, status: error === undefined ? 'ok' : 'error', durationMs, ...why };
      this.count(usage);
    };
  }

  /** As it is now; undefined when there was no call. */
  get record(): NestedRecord | undefined {
    if (this.calls.length === 0) return undefined;
    const complete = this.isComplete && this.calls.every(({ status }) => status !== 'unfinished');
    const nestedCalls = { calls: [...this.calls], complete };
    return { nestedCalls, ...defined({ usage: this.usage }) };
  }

  private kept(args: JsonObject): Pick<NestedToolCallRecord, 'arguments' | 'argumentsBytes'> {
    const json = jsonOf(args);
    const argumentsBytes = Buffer.byteLength(json ?? '');
    if (json === undefined || argumentsBytes > MOST_BYTES_PER_CALL || this.bytes + argumentsBytes > MOST_BYTES) {
      this.isComplete = false;
      return { argumentsBytes };
    }
    this.bytes += argumentsBytes;
    return { arguments: JSON.parse(json) as JsonObject };
  }

  private count(usage: Usage | undefined): void {
    if (usage !== undefined) this.usage = addedUsage(this.usage, usage);
  }
}

/** How a nested call ended: `error` is the error text that it got instead of a result. */
export interface NestedEnd {
  readonly error?: string | undefined;
  readonly usage?: Usage | undefined;
}

/** The value as JSON; undefined if it is not JSON. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // A cycle, or a number that JSON does not have.
  }
}

/** The sum of two usages. Not all providers report all counts. */
export function addedUsage(one: Usage | undefined, other: Usage): Usage {
  if (one === undefined) return other;
  const { cost, ...counts } = [one, other].reduce(addUsage, NO_USAGE);
  const sometimes: Pick<Usage, 'cacheWrite1h' | 'reasoning'> = {};
  for (const name of ['cacheWrite1h', 'reasoning'] as const) {
    if (one[name] !== undefined || other[name] !== undefined) sometimes[name] = (one[name] ?? 0) + (other[name] ?? 0);
  }
  return { ...counts, ...sometimes, totalTokens: one.totalTokens + other.totalTokens, cost: { ...cost } };
}
