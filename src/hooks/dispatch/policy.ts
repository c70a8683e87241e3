import type { HookEventType } from '../events/hook-event';
import { mergeContext } from './merge/context';
import type { Merge } from './merge/merging';
import { observe } from './merge/observe';
import { mergeBeforeAgentStart, mergeInput, mergeProviderRequest } from './merge/prompt';
import {
  mergeBeforeBranch,
  mergeBeforeCompact,
  mergeBeforeSwitch,
  mergeBeforeTree,
  mergeCompacting,
  mergeDirectory,
  mergeResources,
} from './merge/session';
import { mergeToolCall, mergeToolResult, mergeUserBash } from './merge/tools';

/** How one event is dispatched. */
export interface Policy<T extends HookEventType> {
  /** `default`: `hookTimeout` holds for handlers of the dialects that know it (C19). */
  readonly timeout: 'none' | 'default';
  /** What a throwing handler does: it is reported, or it is reported and blocks what the event announces. */
  readonly onError: 'report' | 'block';
  /** How the answers of several handlers become one result. */
  readonly merge: Merge<T>;
}

function timed<T extends HookEventType>(merge: Merge<T>): Policy<T> {
  return { timeout: 'default', onError: 'report', merge };
}

/**
 * Steps that a run or a compaction cannot go on without: when it is stopped, handlers that have not answered are given
 * up.
 */
export const ENDS_WITH_RUN: ReadonlySet<HookEventType> = new Set<HookEventType>([
  'context',
  'before_agent_start',
  'before_provider_request',
  'input',
  'auto_compaction_start',
  'auto_compaction_end',
  'session_compacting',
  'session_compact',
]);

/** The one table of rules: every event of the canonical stream has its line (reference sections 5 and 16). */
export const POLICY: { readonly [T in HookEventType]: Policy<T> } = {
  tool_call: { timeout: 'none', onError: 'block', merge: mergeToolCall },
  tool_result: timed(mergeToolResult),
  context: timed(mergeContext),
  before_agent_start: timed(mergeBeforeAgentStart),
  before_provider_request: timed(mergeProviderRequest),
  input: timed(mergeInput),
  user_bash: timed(mergeUserBash),
  resources_discover: timed(mergeResources),
  session_directory: timed(mergeDirectory),
  session_before_switch: timed(mergeBeforeSwitch),
  session_before_branch: timed(mergeBeforeBranch),
  session_before_compact: timed(mergeBeforeCompact),
  session_before_tree: timed(mergeBeforeTree),
  session_compacting: timed(mergeCompacting),
  session_start: timed(observe),
  session_switch: timed(observe),
  session_branch: timed(observe),
  session_compact: timed(observe),
  session_tree: timed(observe),
  session_shutdown: timed(observe),
  agent_start: timed(observe),
  agent_end: timed(observe),
  turn_start: timed(observe),
  turn_end: timed(observe),
  message_start: timed(observe),
  message_update: timed(observe),
  message_end: timed(observe),
  tool_execution_start: timed(observe),
  tool_execution_update: timed(observe),
  tool_execution_end: timed(observe),
  model_select: timed(observe),
  thinking_level_select: timed(observe),
  auto_compaction_start: timed(observe),
  auto_compaction_end: timed(observe),
  auto_retry_start: timed(observe),
  auto_retry_end: timed(observe),
  ttsr_triggered: timed(observe),
  todo_reminder: timed(observe),
};
