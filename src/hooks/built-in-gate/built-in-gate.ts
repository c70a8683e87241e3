import type { ApprovalMode, PathAnswer } from './approval-mode';
import type { CallDetails } from './call-details';
import type { PathPlace } from './path-place';
import { offersFor, ruleFor, ruleText, type ApprovalRule } from './rule';

/** Why a call ran, or did not: what its card says of the built-in gate. */
export type ApprovalReason =
  /** It changes nothing. */
  | { readonly by: 'reading' }
  /** A hook asked the user about this very input. */
  | { readonly by: 'hook' }
  | { readonly by: 'rule'; readonly rule: string }
  | { readonly by: 'session'; readonly rule: string }
  /** The user was asked; `rule`: and made this rule with the answer. */
  | { readonly by: 'person'; readonly rule?: string }
  /** Auto mode; `hooks`: whether any hook looked at the call. */
  | { readonly by: 'auto'; readonly hooks: boolean }
  /** VS Code asks for the tool by itself. */
  | { readonly by: 'editor' }
  /** Plan mode: only reading. */
  | { readonly by: 'plan' }
  /** Your settings refuse this location. */
  | { readonly by: 'place'; readonly place: PathPlace }
  /** Nobody is there who could be asked. */
  | { readonly by: 'nobody' };

/** What the built-in gate makes of a call before anybody is asked. */
export type Decision =
  | { readonly type: 'allow'; readonly reason: ApprovalReason }
  | { readonly type: 'refuse'; readonly reason: ApprovalReason }
  /** `offers`: what may be allowed beyond this call, the closest first. */
  | { readonly type: 'ask'; readonly offers: readonly ApprovalRule[] };

/** What places outside of the usual are allowed, by kind. */
export interface PlaceAnswers {
  /** Where code is run from: in every mode. */
  readonly code: PathAnswer;
  /** Outside of the workspace: `ask` counts in mode Ask alone. */
  readonly outside: PathAnswer;
}

export interface DecisionParts {
  readonly mode: ApprovalMode;
  readonly facts: CallDetails;
  readonly rules: readonly ApprovalRule[];
  readonly sessionRules: readonly ApprovalRule[];
  readonly places: PlaceAnswers;
  /** A hook asked the user about the input as it is now, and let the call pass. */
  readonly wasAsked: boolean;
  /** Some hook looks at tool calls. */
  readonly hasHooks: boolean;
  /** Names of tools of VS Code that ask by themselves. */
  readonly selfAsking: readonly string[];
}

/** The built-in gate's part in a call that no hook has blocked. */
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
  if (ofPlace === 'ask') return { type: 'ask', offers: offersFor(facts) };
  if (facts.kind === 'reads') return allow({ by: 'reading' });
  if (mode === 'auto') return allow({ by: 'auto', hooks: hasHooks });
  if (facts.kind === 'editor' && parts.selfAsking.includes(facts.toolName)) return allow({ by: 'editor' });
  return { type: 'ask', offers: offersFor(facts) };
}

function allow(reason: ApprovalReason): Decision {
  return { type: 'allow', reason };
}

/** What the kind of place that a file tool works in asks for; `allow` where it asks for nothing. */
function answerForPlace({ mode, facts: { file }, places }: DecisionParts): PathAnswer {
  if (file === undefined) return 'allow';
  const { place, use } = file;
  switch (place) {
    case 'workspace':
    case 'temporary':
      return 'allow';
    case 'unclear':
      return 'ask';
    case 'code':
      return use === 'write' ? places.code : 'allow';
    case 'outside':
      return places.outside === 'ask' && mode === 'auto' ? 'allow' : places.outside;
  }
}

/** What the model reads of a call that was refused without a question, or could not be asked about. */
export function gateRefusalText(reason: ApprovalReason, facts: CallDetails): string {
  const { toolName, file } = facts;
  switch (reason.by) {
    case 'plan':
      return `${toolName} is not available in plan mode: only tools that read are. Present your plan with present_plan.`;
    case 'place':
      return `The settings refuse to write ${file?.real ?? 'there'} (hookline.approvals.places).`;
    case 'nobody':
      return file?.place === 'code' || file?.place === 'unclear'
        ? `${file.real} is a place that code is run from, so a person has to allow this, and nobody can be asked here. Start with --allow-path ${file.real} to allow it.`
        : `${toolName} needs a person's approval, and nobody can be asked here. Start with --approve-tools auto to let hooks alone decide.`;
    case 'auto':
    case 'editor':
    case 'hook':
    case 'person':
    case 'reading':
    case 'rule':
    case 'session':
      return 'The user did not allow this call.';
  }
}
