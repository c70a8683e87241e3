import { basename } from 'node:path';
import * as vscode from 'vscode';
import { defined } from '../../../base/defined';
import type { Problem } from '../../../base/result';
import { hookRef } from '../../../transcript/hook-ref';
import type { HookDifference } from '../../../gate/held-changes/hold-changes';
import type { HookChange, HookInfo } from '../../../hook-contract/hook-info';
import type { TrustDecision, TrustReason } from '../../../startup/trust/project-trust';
import type { StandingNotice } from './standing-notices';

/** What the notices of a window depend on. */
export interface NoticeInput {
  /** Undefined when no folder is open. */
  readonly folder: string | undefined;
  /** Names of the workspace's folders that Hookline does not work in. */
  readonly otherFolders: readonly string[];
  readonly trust: TrustDecision;
  readonly hooks: readonly HookInfo[];
  /** Hooks that were changed, not by the agent, since the user last worked in the folder; their current versions run. */
  readonly differences: readonly HookDifference[];
  /** Paths of settings files with a change that waits. */
  readonly heldFiles: readonly string[];
  /** Paths of files whose writing ended with a process. */
  readonly unfinishedWrites: readonly string[];
  /** Problems of settings, and of the places where Hookline looks for hooks. */
  readonly problems: readonly Problem[];
}

/** All current notices. The key names the subject, so that a changed notice replaces the earlier one. */
export function windowNotices(facts: NoticeInput): ReadonlyMap<string, StandingNotice> {
  const notices = new Map<string, StandingNotice>();
  if (facts.folder === undefined) notices.set('folder', noFolder());
  else if (!facts.trust.trusted) notices.set('trust', notTrusted(facts.trust.reason, facts.hooks));
  if (facts.folder !== undefined && facts.otherFolders.length > 0) {
    notices.set('folders', oneFolderOnly(facts.folder, facts.otherFolders));
  }
  for (const hook of facts.hooks) {
    const { state } = hook;
    if (state.type === 'waiting') notices.set(`hook:${hook.path}`, waitingHook(hook, state));
    if (state.type === 'stopped') notices.set(`hook:${hook.path}`, stoppedHook(hook, state));
    if (state.type === 'failed' || state.type === 'stale') notices.set(`hook:${hook.path}`, brokenHook(hook, state));
  }
  const { differences, heldFiles, unfinishedWrites } = facts;
  const gates = differences.filter(({ wasGate }) => wasGate === true);
  const others = differences.filter(({ wasGate }) => wasGate !== true);
  if (heldFiles.length > 0) notices.set('files', waitingFiles(heldFiles));
  if (unfinishedWrites.length > 0) notices.set('writes', unfinishedFiles(unfinishedWrites));
  if (gates.length > 0) notices.set('gates', lostGates(gates));
  if (others.length > 0) notices.set('differences', changedMeanwhile(others));
  for (const problem of facts.problems) {
    notices.set(`problem:${problem.file ?? ''}:${problem.message}`, {
      level: 'warning',
      text: textOf(problem),
      ...fileOf(problem),
    });
  }
  return notices;
}

/** The message with the name of its file in front, unless it begins with that. */
function textOf({ file, message }: Problem): string {
  const name = file === undefined ? '' : basename(file);
  return message.startsWith(name) ? message : `${name}: ${message}`;
}

function noFolder(): StandingNotice {
  return {
    level: 'info',
    text: vscode.l10n.t('No folder is open. You can chat, but the agent cannot work on files or run commands.'),
    actions: [{ label: vscode.l10n.t('Open Folder'), command: 'openFolder' }],
  };
}

function oneFolderOnly(folder: string, others: readonly string[]): StandingNotice {
  return {
    level: 'info',
    text: vscode.l10n.t(
      'Tools, hooks and sessions belong to {0}, not to the other folders of this workspace: {1}.',
      basename(folder),
      others.join(', '),
    ),
    actions: [{ label: vscode.l10n.t('Choose Folder'), command: 'chooseFolder' }],
  };
}

function notTrusted(reason: TrustReason, hooks: readonly HookInfo[]): StandingNotice {
  const held = hooks.filter(hook => hook.state.type === 'heldBack');
  const text = trustText(reason);
  const names = held.map(hook => hookRef(hook.path).name).join(', ');
  return {
    level: 'warning',
    text: held.length === 0 ? text : `${text} ${vscode.l10n.t('Held back: {0}.', names)}`,
    ...(reason.by === 'editor'
      ? { actions: [{ label: vscode.l10n.t('Trust This Folder'), command: 'trustWorkspace' }] }
      : 'path' in reason
        ? fileOf({ file: reason.path, message: '' })
        : {}),
    ...(reason.by === 'file' ? { actions: [{ label: vscode.l10n.t('Decide'), command: 'decideTrust' }] } : {}),
  };
}

/** Says why the folder's own files are not loaded, and who decided it. */
function trustText(reason: TrustReason): string {
  switch (reason.by) {
    case 'hook':
      return vscode.l10n.t(
        'The hook {0} does not trust this folder. Its hooks, its .pi/settings.json and its instruction files are not loaded.',
        hookRef(reason.path).name,
      );
    case 'file':
      return vscode.l10n.t(
        'trust.json in the agent folder marks {0} as untrusted. Hooks, .pi/settings.json and instruction files of this folder are not loaded.',
        reason.folder,
      );
    case 'unreadable':
      return vscode.l10n.t(
        'Hookline cannot find out whether this folder is trusted, so its hooks, its .pi/settings.json and its instruction files are not loaded: {0}',
        reason.problem,
      );
    case 'editor':
    case 'flag':
    case 'setting':
    case 'nothing':
    case 'parent':
    case 'nobody':
      return vscode.l10n.t(
        'This folder is in Restricted Mode. Its hooks, its .pi/settings.json and its instruction files are not loaded until you trust it.',
      );
  }
}

function waitingFiles(paths: readonly string[]): StandingNotice {
  return {
    level: 'warning',
    text: vscode.l10n.t(
      'A tool, or a program that it left running, may have changed these files: {0}. The changes do not count until you accept them.',
      paths.map(path => basename(path)).join(', '),
    ),
    actions: [{ label: vscode.l10n.t('Review…'), command: 'reviewHeldFiles' }],
  };
}

function unfinishedFiles(paths: readonly string[]): StandingNotice {
  return {
    level: 'warning',
    text: vscode.l10n.t(
      'Hookline ended while it wrote these files, which may hold only a part of the new text: {0}. It has their content from before.',
      paths.join(', '),
    ),
    actions: [{ label: vscode.l10n.t('Review…'), command: 'reviewUnfinishedWrites' }],
  };
}

type Waiting = Extract<HookInfo['state'], { type: 'waiting' }>;

function waitingHook(hook: HookInfo, state: Waiting): StandingNotice {
  const ref = hookRef(hook.path);
  return {
    level: 'warning',
    text: heldText(ref.name, state),
    hook: ref,
    actions: [
      { label: vscode.l10n.t('Show Change'), command: 'compareHook' },
      { label: vscode.l10n.t('Approve'), command: 'approveHook' },
      // Without an approved version, there is nothing to go back to.
      ...(state.change === 'unknown' ? [] : [{ label: vscode.l10n.t('Reject…'), command: 'rejectHook' } as const]),
    ],
    ...(state.change === 'vanished' ? {} : fileOf({ file: hook.path, message: '' })),
  };
}

function heldText(name: string, { change, stillRunning, notSaved }: Waiting): string {
  if (change === 'unknown') return unknownText(name);
  if (stillRunning !== undefined) return unclearText(name, stillRunning);
  return notSaved === true ? notSavedText(name, change) : toolText(name, change);
}

type KnownChange = Exclude<HookChange, 'unknown'>;

function toolText(name: string, change: KnownChange): string {
  switch (change) {
    case 'changed':
      return vscode.l10n.t('A tool changed the hook {0}. The change has no effect until you approve or save it.', name);
    case 'appeared':
      return vscode.l10n.t('A tool created the hook {0}. It does not run until you approve or save it.', name);
    case 'vanished':
      return vscode.l10n.t('A tool removed the hook {0}. It keeps running until you approve the removal.', name);
  }
}

function notSavedText(name: string, change: KnownChange): string {
  switch (change) {
    case 'changed':
      return vscode.l10n.t(
        'The hook {0} was changed outside of the editor. The change has no effect until you approve or save it.',
        name,
      );
    case 'appeared':
      return vscode.l10n.t(
        'The hook {0} was created outside of the editor. It does not run until you approve or save it.',
        name,
      );
    case 'vanished':
      return vscode.l10n.t('The hook {0} was removed. It keeps running until you approve the removal.', name);
  }
}

function unknownText(name: string): string {
  return vscode.l10n.t(
    'Hookline has no record of your approval of the hook {0}. Until you approve or save it, it does not run and the tools that it guards are blocked.',
    name,
  );
}

/** For a change outside of a tool call while a program of the agent still runs: the program or the user may have made it. */
function unclearText(name: string, programs: string): string {
  return vscode.l10n.t(
    'The hook {0} was changed on disk while a program that the agent started is still running: {1}. The change has no effect until you approve or save it.',
    name,
    programs,
  );
}

/** One notice for all hooks that were changed since the last time, not by the agent. The changes are in effect. */
function changedMeanwhile(differences: readonly HookDifference[]): StandingNotice {
  const each = differences.map(({ path, change }) => {
    const { name } = hookRef(path);
    switch (change) {
      case 'changed':
        return vscode.l10n.t('{0} (changed)', name);
      case 'appeared':
        return vscode.l10n.t('{0} (added)', name);
      case 'vanished':
        return vscode.l10n.t('{0} (removed)', name);
    }
  });
  return {
    level: 'info',
    text: vscode.l10n.t(
      'These hooks were changed since you last opened this folder, and not by the agent: {0}. Their current versions are in effect.',
      each.join(', '),
    ),
  };
}

/** One notice for all gates that were removed, not by the agent. Nothing asks in their place. */
function lostGates(gates: readonly HookDifference[]): StandingNotice {
  const names = gates.map(({ path }) => hookRef(path).name).join(', ');
  return {
    level: 'warning',
    text: vscode.l10n.t('These hooks checked tool calls and are no longer there: {0}. Calls run without them.', names),
    actions: [{ label: vscode.l10n.t('Show Hooks'), command: 'showHooks' }],
  };
}

function brokenHook(hook: HookInfo, state: Extract<HookInfo['state'], { type: 'failed' | 'stale' }>): StandingNotice {
  const [problem = { message: '' }] = state.problems;
  const ref = hookRef(hook.path);
  return {
    level: 'error',
    text: `${vscode.l10n.t('{0} fails to load: {1}', ref.name, reasonOf(problem))} ${consequenceOf(state)}`,
    hook: ref,
    ...fileOf({ file: hook.path, ...problem }),
  };
}

function stoppedHook(hook: HookInfo, state: Extract<HookInfo['state'], { type: 'stopped' }>): StandingNotice {
  const [problem = { message: '' }] = state.problems;
  const ref = hookRef(hook.path);
  const consequence = state.gatesTools
    ? vscode.l10n.t('It guards tools, so their calls are blocked until you run it again or change it.')
    : vscode.l10n.t('It does not run until you run it again or change it.');
  return {
    level: 'error',
    text: `${vscode.l10n.t('{0} was stopped: {1}', ref.name, problem.message.replace(/^Stopped: /, ''))} ${consequence}`,
    hook: ref,
    actions: [{ label: vscode.l10n.t('Run Again'), command: 'runHookAgain' }],
    ...fileOf({ file: hook.path, ...problem }),
  };
}

function consequenceOf(state: Extract<HookInfo['state'], { type: 'failed' | 'stale' }>): string {
  if (state.type === 'stale') return vscode.l10n.t('The last version that worked keeps running.');
  return state.gatesTools ? vscode.l10n.t('It guards tools and is not running.') : vscode.l10n.t('It is not running.');
}

/** The message as a sentence, without the parts that the notice adds itself: that the hook fails to load, and where. */
function reasonOf({ message }: Problem): string {
  const reason = message.replace(/^Failed to load (?:hook|extension): /, '').replace(/\s*\(\d+:\d+\)(?=\s*$)/, '');
  return /[.!?]\s*$/.test(reason) ? reason : `${reason}.`;
}

function fileOf(problem: Problem): Pick<StandingNotice, 'file'> {
  const { file, line, column } = problem;
  if (file === undefined) return {};
  return {
    file: { path: file, ...defined({ line, column }) },
  };
}
