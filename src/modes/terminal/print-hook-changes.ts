import { toDisposable, DisposableStore, type Disposable } from '../../base/disposable';
import type { HookChange, HookInfo } from '../../hook-contract/hook-info';
import type { HeldFiles } from '../../gate/held-changes/held-files';
import type { HookHost } from '../../hook-run/host/host';

type Waiting = Extract<HookInfo['state'], { readonly type: 'waiting' }>;

/**
 * Reports each gate that is no longer there. Reports each hook that waits for approval once, now or when it begins to wait; it cannot be approved during a run.
 * Also reports hooks that stopped an earlier process, and hooks that changed since the last run and run in their new
 * version, and changes of settings files that wait or were undone.
 */
export function printHookChanges(
  host: HookHost,
  files: Pick<HeldFiles, 'held' | 'onDidChange' | 'onDidPutBack'>,
  printError: (text: string) => void,
): Disposable {
  const printed = new Set<string>();
  const lost = new Set<string>();
  const print = (): void => {
    const gone = host.differences.flatMap(({ path, wasGate }) => (wasGate === true ? [path] : []));
    for (const path of lost) if (!gone.includes(path)) lost.delete(path);
    for (const path of gone) {
      if (lost.has(path)) continue;
      lost.add(path);
      printError(`Warning: this hook checked tool calls and is no longer there, so calls run without it. (${path})`);
    }
    for (const { path, state } of host.infos()) {
      if (state.type !== 'waiting' || printed.has(path)) continue;
      printed.add(path);
      printError(`Warning: ${heldText(state)} (${path}) See "hookline hooks diff".`);
    }
    for (const { path } of files.held) {
      if (printed.has(path)) continue;
      printed.add(path);
      printError(`Warning: ${HELD_FILE} (${path}) See "hookline hooks diff".`);
    }
  };
  for (const { path, state } of host.infos()) {
    if (state.type !== 'stopped') continue;
    const [{ message } = { message: '' }] = state.problems;
    const blocked = state.gatesTools ? ' It guards tools, so their calls are blocked.' : '';
    printError(`Warning: ${message}${blocked} (${path}) See "hookline hooks run-again".`);
  }
  for (const { path, change, wasGate } of host.differences) {
    if (wasGate !== true) printError(`Note: since the last run here, this hook ${CHANGED_SINCE[change]} (${path})`);
  }
  print();
  const store = new DisposableStore();
  store.add(host.onDidChange(print));
  store.add(files.onDidChange(print));
  store.add(files.onDidPutBack(path => printError(`Warning: ${PUT_BACK} (${path})`)));
  store.add(toDisposable(() => printed.clear()));
  return store;
}

/** A sentence that says what happened to a hook that waits, and what this means. */
export function heldText({ change, stillRunning, notSaved }: Omit<Waiting, 'type'>): string {
  if (change === 'unknown') {
    return 'The record of what was approved of this hook is missing. The hook does not run, and the calls that it guards are blocked.';
  }
  if (notSaved === true) return `This hook was ${WHAT_WAS_DONE[change]}`;
  const who = stillRunning === undefined ? 'A tool' : `A tool, or a program that it left running (${stillRunning}),`;
  return `${who} ${WHAT_TOOLS_DID[change]}`;
}

/** What is said of a settings file whose change waits. */
export const HELD_FILE =
  'A tool, or a program that it left running, may have changed this file; the change does not count.';

/** What is said of a file by which other agents are guarded. */
const PUT_BACK = 'A tool, or a program that it left running, changed how agents are guarded; it was put back.';

const CHANGED_SINCE = {
  changed: 'was changed; the current version runs.',
  appeared: 'was added; it runs.',
  vanished: 'was removed; it does not run.',
} as const satisfies Record<Exclude<HookChange, 'unknown'>, string>;

const WHAT_TOOLS_DID = {
  changed: 'changed this hook; the earlier version keeps running.',
  appeared: 'made this hook; it does not run.',
  vanished: 'removed this hook; it keeps running.',
} as const satisfies Record<Exclude<HookChange, 'unknown'>, string>;

const WHAT_WAS_DONE = {
  changed: 'changed and not saved in the editor; the earlier version keeps running.',
  appeared: 'made and not saved in the editor; it does not run.',
  vanished: 'removed; it keeps running.',
} as const satisfies Record<Exclude<HookChange, 'unknown'>, string>;
