import { AsyncLocalStorage } from 'node:async_hooks';

/** A call of a tool that a hook offers. */
export interface RunningCall {
  /** Id of its conversation. */
  readonly conversation: string;
  readonly toolCallId: string;
}

const storage = new AsyncLocalStorage<RunningCall>();

/** Runs the code of a tool; what it starts, now or later, belongs to this call. */
export function withinCall<V>(call: RunningCall | undefined, code: () => V): V {
  return call === undefined ? code() : storage.run(call, code);
}

/** The call that the running code belongs to. */
export function runningCall(): RunningCall | undefined {
  return storage.getStore();
}
