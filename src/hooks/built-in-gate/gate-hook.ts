import { toDisposable } from '../../base/disposable';
import { DIALECTS } from '../dialects';
import type { HandlerRun } from '../dispatch/handler-run';
import type { HandlerDelivery } from '../dispatch/deliveries';
import { LoadedHook, Registration, type HookScope } from '../loaded-hook';
import type { HookConversation } from '../conversation-port';
import type { HookServices } from '../api/services';
import type { HookInfo } from '../hook';
import { callDetails, type AskedCall, type CallDetails } from './call-details';
import { decide, gateRefusalText, type ApprovalReason, type PlaceAnswers } from './built-in-gate';
import type { ConversationApprovals } from './conversation-approvals';
import type { Places } from './path-place';
import { ruleText, type ApprovalRule } from './rule';

/** What all conversations of a window share. */
export interface ApprovalSettings {
  /** What is allowed permanently; `add` keeps a rule and never rejects. */
  readonly rules: { readonly current: readonly ApprovalRule[]; add(rule: ApprovalRule): Promise<void> };
  /** As of now. */
  readonly placeAnswers: () => PlaceAnswers;
  readonly places: () => Omit<Places, 'hookFiles' | 'cwd'>;
  /** Names of tools of VS Code that ask by themselves. */
  readonly selfAsking: () => readonly string[];
  /** The process whose hook started this one decides in the place of this one; absent: none did. */
  readonly above?: (call: AskedCall, state: CallState, signal: AbortSignal | undefined) => Promise<GateAnswer>;
}

/** What hooks did with a call before it comes to the gate. */
export interface CallState {
  readonly wasAsked: boolean;
  readonly hasHooks: boolean;
}

/** What the gate answers to `tool_call`, and why. */
export interface GateAnswer {
  readonly block?: true;
  readonly reason?: string;
  readonly approvalReason: ApprovalReason;
}

/** What the gate asks of the host. */
export interface GateParts {
  /** Absolute; the source of the gate, for people to read. */
  readonly path: string;
  readonly settings: ApprovalSettings;
  readonly services: Pick<HookServices, 'asking'>;
  readonly hookFiles: () => readonly string[];
  /** Paths of hooks that are held back. */
  readonly heldBack: () => readonly string[];
}

interface GateCall {
  readonly call: AskedCall;
  readonly state: CallState;
  readonly isOfSubagent?: true;
  /** Hears what was decided. */
  readonly tell?: (answer: GateAnswer) => void;
}

/**
 * The gate that ships with Hookline: a hook like any other in views, on cards and in the log, which is asked last. What it
 * decides is in `built-in-gate.ts`.
 */
export class GateHook {
  readonly hook: LoadedHook;

  constructor(private readonly parts: GateParts) {
    const { path } = parts;
    const map = { mapStack: (stack: string) => stack, placeIn: () => undefined };
    const identity = { path, origin: 'built-in', group: 'hooks', scope: OPEN_SCOPE, map } as const;
    const tag = { id: 'pi', because: 'it is a part of Hookline', overridden: false } as const;
    const features = {
      events: new Set(['tool_call']),
      methods: new Set<string>(),
      newSessionWord: undefined,
      listsToolNames: false,
      readsContextMessages: false,
    };
    this.hook = new LoadedHook(identity, tag, DIALECTS.pi, features);
    this.hook.handlers.push({ name: 'tool_call', nth: 0, run: () => undefined, at: NOWHERE });
    this.hook.started = true;
  }

  get info(): HookInfo {
    const { path, origin } = this.hook.identity;
    return { path, origin, state: { type: 'live' }, handlers: this.hook.handlerInfos(), commands: [], tools: [] };
  }

  /** Where a `tool_call` goes when all hooks have let it pass; undefined for conversations that ask for no approvals. */
  delivery(asked: GateCall, conversation: HookConversation): HandlerDelivery | undefined {
    const { approvals } = conversation;
    if (approvals === undefined) return undefined;
    const { hook } = this;
    const [handler] = hook.handlers;
    if (handler === undefined) return undefined;
    const run = (_event: unknown, of: unknown): Promise<GateAnswer> =>
      this.answer(asked, approvals, conversation, of as HandlerRun);
    return { hook, handler: { ...handler, takesRun: true, run }, buildPayload: event => ({ ...event }) };
  }

  private async answer(
    asked: GateCall,
    approvals: ConversationApprovals,
    conversation: HookConversation,
    run: HandlerRun,
  ): Promise<GateAnswer> {
    const { above } = this.parts.settings;
    const { call, state } = asked;
    const answer =
      above === undefined
        ? await this.decide(asked, approvals, conversation, run)
        : await above(call, state, run.subject.signal);
    run.approvalReason = answer.approvalReason;
    asked.tell?.(answer);
    return answer;
  }

  private async decide(
    { call, state, isOfSubagent }: GateCall,
    approvals: ConversationApprovals,
    conversation: HookConversation,
    run: HandlerRun,
  ): Promise<GateAnswer> {
    const { settings, services, heldBack } = this.parts;
    const facts = callDetails(call, { ...settings.places(), cwd: call.cwd, hookFiles: this.parts.hookFiles() });
    const decision = decide({
      ...state,
      mode: approvals.mode,
      facts,
      rules: settings.rules.current,
      sessionRules: approvals.sessionRules,
      places: settings.placeAnswers(),
      selfAsking: settings.selfAsking(),
    });
    if (decision.type === 'allow') return { approvalReason: decision.reason };
    if (decision.type === 'refuse') return refused(decision.reason, facts);
    if (approvals.ask === undefined) return refused({ by: 'nobody' }, facts);
    const given = await approvals.ask({
      facts,
      offers: decision.offers,
      heldBack: heldBack(),
      isOfSubagent: isOfSubagent === true,
      origin: run.origin,
      signal: run.subject.signal,
      during: (about, question) => run.asks(() => services.asking(conversation, about, question), about),
    });
    switch (given.type) {
      case 'deny':
        return refused({ by: 'person' }, facts);
      case 'once':
        return { approvalReason: { by: 'person' } };
      case 'session':
        approvals.allowInSession(given.rule);
        return { approvalReason: { by: 'person', rule: ruleText(given.rule) } };
      case 'always':
        await settings.rules.add(given.rule);
        return { approvalReason: { by: 'person', rule: ruleText(given.rule) } };
    }
  }
}

function refused(approvalReason: ApprovalReason, facts: CallDetails): GateAnswer {
  return { block: true, reason: gateRefusalText(approvalReason, facts), approvalReason };
}

/** It opens nothing and lives as long as the process. */
const OPEN_SCOPE: HookScope = {
  isReleased: false,
  isIdle: false,
  begin: () => toDisposable(() => undefined),
  own: () => toDisposable(() => undefined),
  release: () => Promise.resolve(),
};

const NOWHERE = new Registration(new Error(), () => undefined);
