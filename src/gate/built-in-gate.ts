import type { ApprovalMode, PathAnswer } from '../hook-contract/approvals/approval-mode';
import { isShared } from './calls/call-details';
import type { CallDetails } from '../hook-contract/approvals/asked-call';
import { offersFor, ruleFor, ruleText } from './rules/rule';
import type { ApprovalRule } from '../hook-contract/approvals/approval-rule';
import type { ApprovalReason } from '../hook-contract/approvals/approval-reason';

/** What the built-in gate decides about a call before the user is asked. */
export type Decision =
  | { readonly type: 'allow'; readonly reason: ApprovalReason }
  | { readonly type: 'refuse'; readonly reason: ApprovalReason }
  /** `offers`: rules that the user may make with the answer, in the order in which they are offered. */
  | { readonly type: 'ask'; readonly offers: readonly ApprovalRule[] };

/** The user's settings for file tools in unusual places. */
export interface PlaceAnswers {
  /** Writing to places from which programs run code; counts in every mode. */
  readonly code: PathAnswer;
  /**
   * Writing to places in the workspace from which code runs with the next build or start. In Auto mode, `ask` counts as
   * `allow`. With `allow`, these places are as the rest of the workspace.
   */
  readonly build: PathAnswer;
  /** Files outside of the workspace; in Auto mode, `ask` counts as `allow`. */
  readonly outside: PathAnswer;
}

export interface DecisionParts {
  readonly mode: ApprovalMode;
  /** As {@link underSettings} returns them. */
  readonly facts: CallDetails;
  readonly rules: readonly ApprovalRule[];
  readonly sessionRules: readonly ApprovalRule[];
  readonly places: PlaceAnswers;
  /** Whether a hook asked the user about the current input, and did not block the call. */
  readonly wasAsked: boolean;
  /** Whether any hook handles tool calls. */
  readonly hasHooks: boolean;
  /** Whether the call is a command that only reads what tools may read without a question. */
  readonly onlyReads: boolean;
  /** Names of tools of VS Code about which VS Code itself asks the user. */
  readonly selfAsking: readonly string[];
}

/** Decides about a call that no hook has blocked. */
export function decide(parts: DecisionParts): Decision {
  const { mode, facts, rules, sessionRules, wasAsked, hasHooks } = parts;
  if (facts.kind === 'plans') return allow({ by: 'reading' });
  if (mode === 'plan' && facts.kind !== 'reads') return { type: 'refuse', reason: { by: 'plan' } };
  const ofPlace = answerForPlace(parts);
  if (ofPlace === 'refuse') {
    return { type: 'refuse', reason: { by: 'place', place: facts.file?.place ?? 'unclear' } };
  }
  if (wasAsked) return allow({ by: 'hook' });
  const kept = ruleFor(facts, rules);
  if (kept !== undefined) return allow({ by: 'rule', rule: ruleText(kept) });
  const ofSession = ruleFor(facts, sessionRules);
  if (ofSession !== undefined) return allow({ by: 'session', rule: ruleText(ofSession) });
  if (parts.onlyReads && (mode === 'ask' || mode === 'edits')) return allow({ by: 'plainReading' });
  if (ofPlace === 'ask') return { type: 'ask', offers: offersFor(facts) };
  if (facts.kind === 'reads') return allow({ by: 'reading' });
  if (mode === 'edits' && runsInEdits(facts)) return allow({ by: 'edits' });
  if (mode === 'auto') return allow({ by: 'auto', hooks: hasHooks });
  if (facts.kind === 'editor' && parts.selfAsking.includes(facts.toolName)) return allow({ by: 'editor' });
  return { type: 'ask', offers: offersFor(facts) };
}

function allow(reason: ApprovalReason): Decision {
  return { type: 'allow', reason };
}

/** The call as the settings have its file: what runs with the next build may count as the rest of the workspace. */
export function underSettings(facts: CallDetails, { build }: PlaceAnswers): CallDetails {
  const { file } = facts;
  return file?.place === 'build' && build === 'allow' ? { ...facts, file: { ...file, place: 'workspace' } } : facts;
}

/** Whether Edits mode lets a call write: in the workspace, but in no place from which programs run code. */
function runsInEdits({ kind, file }: CallDetails): boolean {
  return kind === 'writes' && file?.place === 'workspace';
}

/** What the settings say about the place of the call's file; `allow` for a call without a file. */
function answerForPlace({ mode, facts: { file }, places }: DecisionParts): PathAnswer {
  if (file === undefined) return 'allow';
  const answer = answerForFile(file, mode, places);
  // Nobody knows where the other names of the file are.
  return answer === 'allow' && isShared(file) ? 'ask' : answer;
}

function answerForFile(
  { place, use }: NonNullable<CallDetails['file']>,
  mode: ApprovalMode,
  places: PlaceAnswers,
): PathAnswer {
  switch (place) {
    case 'workspace':
    case 'temporary':
      return 'allow';
    case 'unclear':
      return 'ask';
    case 'code':
      return use === 'write' ? places.code : 'allow';
    case 'build':
      if (use === 'read') return 'allow';
      return places.build === 'ask' && mode === 'auto' ? 'allow' : places.build;
    case 'outside':
      return places.outside === 'ask' && mode === 'auto' ? 'allow' : places.outside;
  }
}

/** The text for the model about a refused call. */
export function gateRefusalText(reason: ApprovalReason, facts: CallDetails): string {
  const { toolName, file } = facts;
  switch (reason.by) {
    case 'plan':
      return `${toolName} is not available in plan mode: only tools that read are. Present your plan with present_plan.`;
    case 'place':
      return `The settings do not allow writing to ${file?.real ?? 'this file'} (hookline.approvals.places).`;
    case 'nobody':
      if (file !== undefined && (file.place === 'code' || file.place === 'unclear' || isShared(file))) {
        const why = isShared(file)
          ? `${file.real} has another name (a hard link)`
          : `Programs run code from ${file.real}`;
        return `${why}, so the user must allow this, and nobody can be asked. Start with --allow-path ${file.real} to allow it.`;
      }
      return `${toolName} needs approval, and nobody can be asked. Start with --approve-tools auto to let only your hooks decide.`;
    case 'auto':
    case 'edits':
    case 'editor':
    case 'hook':
    case 'person':
    case 'plainReading':
    case 'reading':
    case 'rule':
    case 'session':
      return 'The user did not allow this call.';
  }
}
