import * as vscode from 'vscode';
import { clipped } from '../../base/text/clipped';
import { singleLine } from '../../base/text/single-line';
import { hookRef } from '../../transcript/hook-ref';
import type { DialectId, DialectTag } from '../../hook-contract/dialect-id';
import type { HookInfo, HookOrigin } from '../../hook-contract/hook-info';
import { outcomeText } from '../../hook-insight/recording/outcome-text';
import type { HandlerStats } from '../../hook-insight/stats';
import type { ApprovalReason } from '../../protocol/items/chat-item';
import { approvalReasonText } from '../../protocol/items/approval-reason-text';

type Outcome = Parameters<typeof outcomeText>[0];

/** A phrase that says where a hook comes from. */
export function originText(origin: HookOrigin): string {
  switch (origin) {
    case 'global':
      return vscode.l10n.t('yours, in every folder');
    case 'workspace':
      return vscode.l10n.t('of this folder');
    case 'settings':
      return vscode.l10n.t('listed in settings');
    case 'package':
      return vscode.l10n.t('of a package');
    case 'explicit':
      return vscode.l10n.t('added manually');
    case 'built-in':
      return vscode.l10n.t('a part of Hookline, asked after all other hooks');
  }
}

/** What a hook was written for. The docs name dialects by the same words. */
export function dialectName(dialect: DialectId): string {
  switch (dialect) {
    case 'pi':
      return vscode.l10n.t("today's pi extensions");
    case 'ext':
      return vscode.l10n.t('pi extensions of early 2026');
    case 'omp':
      return vscode.l10n.t('oh-my-pi hooks');
    case 'tree':
      return vscode.l10n.t('pi hooks with a session tree');
    case 'v2':
      return vscode.l10n.t('pi hooks, second design');
    case 'v1':
      return vscode.l10n.t('pi hooks, first version');
  }
}

/** What a hook was written for, and how Hookline knows. */
export function dialectText({ id, because }: DialectTag): string {
  return vscode.l10n.t('{0} (dialect {1}: {2})', dialectName(id), id, because);
}

/** One word that says where a hook comes from. */
export function originWord(origin: HookOrigin): string {
  switch (origin) {
    case 'global':
      return vscode.l10n.t('global');
    case 'workspace':
      return vscode.l10n.t('workspace');
    case 'settings':
      return vscode.l10n.t('settings');
    case 'package':
      return vscode.l10n.t('package');
    case 'explicit':
      return vscode.l10n.t('explicit');
    case 'built-in':
      return vscode.l10n.t('built-in');
  }
}

/** A phrase that says the state of a hook. */
export function hookStateText({ state }: Pick<HookInfo, 'state'>): string {
  switch (state.type) {
    case 'live':
      return vscode.l10n.t('live');
    case 'stale':
      return vscode.l10n.t('broken; the last good version is running');
    case 'failed':
      return state.gatesTools ? vscode.l10n.t('failed to load, and it guards tools') : vscode.l10n.t('failed to load');
    case 'stopped':
      return state.gatesTools ? vscode.l10n.t('stopped, and it guards tools') : vscode.l10n.t('stopped');
    case 'waiting':
      return waitingText(state);
    case 'heldBack':
      return state.unapproved === undefined
        ? vscode.l10n.t('held back until this folder is trusted')
        : vscode.l10n.t('its package does not run: {0}', state.unapproved);
    case 'off':
      return vscode.l10n.t('turned off');
  }
}

function waitingText({ change, stillRunning, notSaved }: Extract<HookInfo['state'], { type: 'waiting' }>): string {
  if (change === 'unknown') return vscode.l10n.t('unknown version; waiting for approval');
  if (stillRunning !== undefined) {
    return vscode.l10n.t('changed while {0} runs, which a tool started; waiting for approval', stillRunning);
  }
  return notSaved === true
    ? vscode.l10n.t('changed outside of the editor; waiting for approval')
    : vscode.l10n.t('changed by a tool; waiting for approval');
}

/** The codicon of a hook's state, without `$()`, and the id of its theme color. */
export function hookStateIcon({ state }: Pick<HookInfo, 'state'>): { readonly id: string; readonly color?: string } {
  switch (state.type) {
    case 'live':
      return { id: 'pass', color: 'testing.iconPassed' };
    case 'stale':
      return { id: 'warning', color: 'list.warningForeground' };
    case 'failed':
    case 'stopped':
      return { id: 'error', color: 'list.errorForeground' };
    case 'waiting':
      return { id: 'warning', color: 'list.warningForeground' };
    case 'heldBack':
      return { id: 'shield', color: 'list.warningForeground' };
    case 'off':
      return { id: 'circle-slash' };
  }
}

/** A duration, given in ms, as a short text, such as "3.1 ms" or "12 s". */
export function durationText(ms: number): string {
  if (ms >= 10_000) return `${Math.round(ms / 1_000)} s`;
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** Local time of day; `at` in ms since the epoch. */
export function timeText(at: number): string {
  return new Date(at).toLocaleTimeString(vscode.env.language, { hour12: false });
}

/** The outcome of a call on one line. For a call that the built-in gate allowed, it says why. */
export function outcomeLine(outcome: Outcome, approvalReason: ApprovalReason | undefined): string {
  const text =
    outcome.type === 'nothing' && approvalReason !== undefined ? allowedText(approvalReason) : outcomeText(outcome);
  return singleLine(text);
}

function allowedText(approvalReason: ApprovalReason): string {
  return vscode.l10n.t('allowed: {0}', approvalReasonText(approvalReason, false));
}

/** The outcome of the last call, at most 60 characters long. */
export function verdictText({ lastOutcome, lastReason }: Pick<HandlerStats, 'lastOutcome' | 'lastReason'>): string {
  return clipped(outcomeLine(lastOutcome, lastReason), 60);
}

/** Calls, errors, last verdict and times of a handler on one line. The most important come first: VS Code may cut the end. */
export function statsText(stats: HandlerStats | undefined): string {
  if (stats === undefined) return vscode.l10n.t('not called yet');
  const { count, errors, p50, p95, lastAt } = stats;
  const parts = [
    `${count}×`,
    verdictText(stats),
    timeText(lastAt),
    `p50 ${durationText(p50)}`,
    `p95 ${durationText(p95)}`,
  ];
  if (errors > 0) parts.splice(1, 0, errorsText(errors));
  return parts.join(' · ');
}

export function errorsText(errors: number): string {
  return errors === 1 ? vscode.l10n.t('1 error') : vscode.l10n.t('{0} errors', errors);
}

/** The name of a hook that lists show. */
export function hookName(hookPath: string): string {
  return hookRef(hookPath).name;
}
