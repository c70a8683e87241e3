import { setImmediate } from 'node:timers/promises';
import { defined } from '../../base/defined';
import type { Problem } from '../../base/result';
import { stopText, type StopRecord } from './stop-record';
import type { HookFile } from './discover';
import type { HookGroup, HookChange, HookInfo, HookOrigin } from '../../hook-contract/hook-info';
import type { LoadedHook } from '../../hook-contract/loaded-hook';
import { contentOf, type HookModule } from '../graph/hook-module';
import { changedTarget, isOwnFile } from '../graph/resolve';
import { HookSource } from '../graph/hook-source';
import type { ApprovedContent } from '../graph/module-imports';
import { SourceReads } from '../graph/source-reads';

/** A hook that runs, and the code it can be started from again. */
export interface Live {
  readonly hook: LoadedHook;
  readonly module: HookModule;
}

/** One file of the current set, in any state. */
export interface Slot {
  readonly file: HookFile;
  readonly live?: Live;
  /** Why the file as it is now does not run. */
  readonly problems?: readonly Problem[];
  /** It handles `tool_call`, by its last good version or by its text. */
  readonly gatesTools?: boolean;
  readonly heldBack?: boolean;
  /** The hook froze or ended a process. Its code does not run until the user decides. */
  readonly stop?: StopRecord;
  /** A change that a tool made to the files and that is not approved yet; the slot is as before the change. */
  readonly waiting?: HookChange;
  /** The agent's commands that were still running although no call was, as text for the user. */
  readonly stillRunning?: string;
  /** See {@link HookInfo.state}. */
  readonly notSaved?: true;
  /** The approved version, which did not load. */
  readonly approved?: ApprovedContent;
  /** Code whose factory failed. It is not tried again before it changes, because a try would end the running version. */
  readonly rejected?: HookModule;
}

/** What was approved of a slot that waits; undefined if that is not known. */
export function approvedOf({ live, approved }: Slot): ApprovedContent | undefined {
  return live === undefined ? approved : { sources: contentOf(live.module), imports: live.module.imports };
}

/** After this many files the thread yields. Reading a file takes about 10 µs, and ten times that with promises. */
const FILES_AT_ONCE = 50;

/** True when the entry and everything it imports are on disk as they were when the module was loaded. */
export async function isUnchanged({ sources, packageFiles = [], imports = [] }: Comparable): Promise<boolean> {
  const { resolve } = new SourceReads();
  if (imports.some(each => changedTarget(each, resolve) !== undefined)) return false;
  for (const [index, { path, hash }] of [...sources, ...packageFiles].entries()) {
    if (index % FILES_AT_ONCE === FILES_AT_ONCE - 1) await setImmediate();
    if (HookSource.readIfPossible(path)?.hash !== hash) return false; // If it is missing or unreadable, loading it reports why.
  }
  return true;
}

type Comparable = Pick<RunningFile, 'sources'> & Partial<Pick<HookModule, 'imports' | 'packageFiles'>>;

/** Requested at each change of the chat's status, although hooks register once. */
const infos = new WeakMap<Slot, { readonly info: HookInfo; readonly revision: string }>();

/** The public description of a slot; the same object until the hook registers or imports more. */
export function infoOf(slot: Slot): HookInfo {
  const { live, rejected } = slot;
  const revision = [live?.hook.revision, live?.module.sources.length, rejected?.sources.length].join();
  const known = infos.get(slot);
  if (known !== undefined && known.revision === revision) return known.info;
  const info = makeInfo(slot);
  infos.set(slot, { info, revision });
  return info;
}

function makeInfo(slot: Slot): HookInfo {
  const { file, live } = slot;
  let handlers: HookInfo['handlers'] | undefined;
  let commands: HookInfo['commands'] | undefined;
  let tools: HookInfo['tools'] | undefined;
  return {
    path: file.path,
    origin: file.origin,
    ...defined({ package: file.package }),
    state: stateOf(slot),
    ...defined({ dialect: live?.hook.tag }),
    // Computed when it is read, because lines are looked up in source maps.
    get handlers() {
      return (handlers ??= live?.hook.handlerInfos() ?? []);
    },
    get commands() {
      return (commands ??= live?.hook.commandInfos() ?? []);
    },
    get tools() {
      return (tools ??= live?.hook.toolInfos() ?? []);
    },
    files: [...new Set([file.path, ...filesOf(live?.module), ...filesOf(slot.rejected)])],
  };
}

/** A hook file that guards or should guard agents of this process, for an agent that one of its hooks starts. */
export interface RunningFile {
  /** Absolute path of the entry. */
  readonly path: string;
  readonly group: HookGroup;
  readonly origin: HookOrigin;
  /** It handles `tool_call`, or would if it loaded. */
  readonly isGate: boolean;
  /** The entry and its relative imports, as they run; empty if the hook does not run. */
  readonly sources: readonly Pick<HookSource, 'path' | 'hash'>[];
}

/** Undefined for a file that is held back or turned off. */
export function runningFileOf(slot: Slot): RunningFile | undefined {
  const { file, live } = slot;
  if (slot.heldBack === true || file.disabled === true) return undefined;
  return {
    path: file.path,
    group: file.group,
    origin: file.origin,
    isGate: live?.hook.features.events.has('tool_call') ?? slot.gatesTools ?? false,
    sources: live?.module.sources.map(({ path, hash }) => ({ path, hash })) ?? [],
  };
}

/** A hook that runs, for a session that it is to guard as well. */
export interface LiveFile extends Pick<RunningFile, 'isGate' | 'sources'> {
  readonly file: HookFile;
}

/** Undefined for a file whose code does not run. */
export function liveFileOf({ file, live }: Slot): LiveFile | undefined {
  if (live === undefined) return undefined;
  return { file, isGate: live.hook.features.events.has('tool_call'), sources: live.module.sources };
}

/** Its own files, and each `package.json` outside of installed packages that decides about them. */
function filesOf(module: HookModule | undefined): readonly string[] {
  if (module === undefined) return [];
  return contentOf(module).flatMap(({ path }) => (isOwnFile(path, module.file) ? [path] : []));
}

function stateOf(slot: Slot): HookInfo['state'] {
  const gates = slot.gatesTools === true ? { gatesTools: true as const } : {};
  if (slot.file.disabled === true) return { type: 'off', ...gates };
  if (slot.heldBack === true) {
    const { unapproved } = slot.file;
    return { type: 'heldBack', ...gates, ...defined({ unapproved }) };
  }
  if (slot.waiting !== undefined) {
    const { waiting: change, stillRunning, notSaved } = slot;
    return {
      type: 'waiting',
      change,
      ...defined({ stillRunning, notSaved }),
      ...gates,
    };
  }
  if (slot.stop !== undefined) {
    const { file: place = slot.file.path, line } = slot.stop;
    const problem = { message: stopText(slot.stop), file: place, ...defined({ line }) };
    return { type: 'stopped', problems: [problem], gatesTools: slot.gatesTools === true };
  }
  const stopped = slot.live?.hook.identity.scope.stopped;
  if (stopped !== undefined) {
    const { message, file, line } = stopped;
    const gatesTools = slot.live?.hook.features.events.has('tool_call') === true;
    return { type: 'stopped', problems: [{ message, file, line }], gatesTools };
  }
  if (slot.problems === undefined) return { type: 'live' };
  if (slot.live !== undefined) return { type: 'stale', problems: slot.problems };
  return { type: 'failed', problems: slot.problems, gatesTools: slot.gatesTools ?? false };
}
