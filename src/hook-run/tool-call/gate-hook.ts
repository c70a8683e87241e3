import { isDeepStrictEqual } from 'node:util';
import { toDisposable } from '../../base/disposable';
import { DIALECTS } from '../../hook-contract/dialects';
import { copyData } from '../../hook-contract/copy';
import { isWithin } from '../../base/files/is-within';
import type { HandlerRun } from '../dispatch/handler-run';
import type { HandlerDelivery } from '../dispatch/deliveries';
import type { HookRunner } from '../dispatch/runner';
import { LoadedHook, Registration, type HookScope } from '../../hook-contract/loaded-hook';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { HookEventOf } from '../../hook-contract/hook-event';
import type { HookInfo } from '../../hook-contract/hook-info';
import { defined } from '../../base/defined';
import { callDetails, readingDetails } from '../../gate/calls/call-details';
import type { AskedCall, CallDetails } from '../../hook-contract/approvals/asked-call';
import { decide, gateRefusalText, underSettings, type Decision, type DecisionParts } from '../../gate/built-in-gate';
import type { ApprovalReason } from '../../hook-contract/approvals/approval-reason';
import type { ConversationApprovals, EditedCall } from '../../hook-contract/conversation-approvals';
import type { Places } from '../../gate/calls/path-place';
import { onlyReads, type PlainReading } from '../../gate/commands/plain-reading';
import { realPathOf } from '../../gate/calls/real-path';
import { ruleText, wasChangedSince } from '../../gate/rules/rule';
import type { DialogAnswer } from '../../hook-contract/ui/ui';
import { type ApprovalSettings, type CallState, type GateAnswer, passed } from '../../gate/approval-settings';
import { withWords } from './denial-words';

/** What the gate needs. */
export interface GateParts {
  /** Path of the gate's source, absolute; shown to users. */
  readonly path: string;
  readonly settings: ApprovalSettings;
  /** Waits for a question to the user, and notifies hooks of it. */
  asking<V>(
    conversation: HookConversation,
    about: Pick<DialogAnswer, 'kind' | 'title'>,
    question: () => Promise<V>,
  ): Promise<V>;
  readonly hookFiles: () => Pick<Places, 'hooks' | 'hookFiles'>;
  /** Paths of hooks that are held back. */
  readonly heldBack: () => readonly string[];
}

/** What the gate gets, as every hook; what it changes in the input is what runs. */
type GateEvent = Pick<HookEventOf<'tool_call'>, 'input'>;

interface GateCall {
  readonly call: AskedCall;
  readonly state: CallState;
  readonly isOfSubagent?: true;
  /** Is called with the decision. */
  readonly tell?: (answer: GateAnswer) => void;
}

/**
 * The gate that ships with Hookline. In views, on cards and in the log it looks like any other hook; it is called last.
 * Its decisions are made in `built-in-gate.ts`.
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
      readsSystemPrompt: false,
    };
    this.hook = new LoadedHook(identity, tag, DIALECTS.pi, features);
    this.hook.handlers.push({ name: 'tool_call', nth: 0, run: () => undefined, at: NOWHERE });
    this.hook.started = true;
  }

  get info(): HookInfo {
    const { path, origin } = this.hook.identity;
    return { path, origin, state: { type: 'live' }, handlers: this.hook.handlerInfos(), commands: [], tools: [] };
  }

  /** The delivery of a `tool_call` that no hook blocked; undefined for conversations without approvals. */
  delivery(asked: GateCall, conversation: HookConversation): HandlerDelivery | undefined {
    const { approvals } = conversation;
    if (approvals === undefined) return undefined;
    const { hook } = this;
    const [handler] = hook.handlers;
    if (handler === undefined) return undefined;
    const run = async (event: unknown, of: unknown): Promise<GateAnswer> => {
      const answer = await this.answer(asked, approvals, conversation, of as HandlerRun);
      if (answer.edited !== undefined) replaceMembers((event as GateEvent).input, copyData(answer.edited.input));
      return answer;
    };
    return { hook, handler: { ...handler, takesRun: true, run }, buildPayload: event => ({ ...event }) };
  }

  /** Decides about a call of an agent that a hook started, in the mode and with the rules of this conversation. */
  async decideForChild(
    { call, state, toolCallId }: Pick<GateCall, 'call' | 'state'> & { readonly toolCallId: string },
    conversation: HookConversation,
    { runner, signal }: { readonly runner: Pick<HookRunner, 'emitThrough'>; readonly signal: AbortSignal },
  ): Promise<GateAnswer> {
    const given: GateAnswer[] = [];
    const tell = (answer: GateAnswer): void => void given.push(answer);
    const delivery = this.delivery({ call, state, isOfSubagent: true, tell }, conversation);
    if (delivery === undefined) return passed(state);
    const { toolName, input } = call;
    const event = { type: 'tool_call', toolCallId, toolName, input: { ...input } } as const;
    await runner.emitThrough([delivery], event, conversation, { signal });
    const [answer] = given;
    return (
      answer ?? {
        block: true,
        reason: 'This call was stopped before it was approved.',
        approvalReason: { by: 'nobody' },
      }
    );
  }

  private async answer(
    asked: GateCall,
    approvals: ConversationApprovals,
    conversation: HookConversation,
    run: HandlerRun,
  ): Promise<GateAnswer> {
    const { above } = this.parts.settings;
    const { call } = asked;
    let { state } = asked;
    for (;;) {
      // Code that a hook left running may change the input meanwhile. What runs must be what the answer was about.
      const input = copyData(call.input);
      const shown: GateCall = { ...asked, call: { ...call, input }, state };
      const answer =
        above === undefined
          ? await this.decide(shown, approvals, conversation, run)
          : await above(shown.call, state, run.subject.signal);
      if (answer.block === true || isDeepStrictEqual(call.input, input)) {
        run.approvalReason = answer.approvalReason;
        asked.tell?.(answer);
        return answer;
      }
      state = { ...state, wasAsked: false };
    }
  }

  private async decide(
    { call, state, isOfSubagent }: GateCall,
    approvals: ConversationApprovals,
    conversation: HookConversation,
    run: HandlerRun,
  ): Promise<GateAnswer> {
    const { settings, heldBack } = this.parts;
    const answers = settings.placeAnswers();
    const places = { ...settings.places(), ...this.parts.hookFiles(), cwd: call.cwd, folders: approvals.folders };
    const facts = underSettings(callDetails(call, places), answers);
    const rules = settings.rules.current;
    const { sessionRules } = approvals;
    const parts: DecisionParts = {
      ...state,
      mode: approvals.mode,
      facts,
      rules,
      sessionRules,
      places: answers,
      onlyReads: false,
      selfAsking: settings.selfAsking(),
    };
    const allowed = (approvalReason: ApprovalReason, edited?: EditedCall): GateAnswer => {
      const isAsked = approvalReason.by === 'person' || approvalReason.by === 'hook';
      const target = facts.file?.target && { ...facts.file.target, isAsked };
      return { approvalReason, ...defined({ target, edited }) };
    };
    // The shell of an agent in another process may be set up in another way.
    const reading = isOfSubagent === true ? undefined : settings.plainReading();
    const decision = await decideReading(parts, places, reading, run.subject.signal);
    if (decision.type === 'allow') return allowed(decision.reason);
    if (decision.type === 'refuse') return refused(decision.reason, facts);
    if (approvals.ask === undefined) return refused({ by: 'nobody' }, facts);
    const given = await approvals.ask({
      facts,
      offers: decision.offers,
      heldBack: heldBack(),
      isOfSubagent: isOfSubagent === true,
      isChanged: wasChangedSince(facts, [...rules, ...sessionRules]),
      origin: run.origin,
      signal: run.subject.signal,
      during: (about, question) => run.asks(() => this.parts.asking(conversation, about, question), about),
    });
    switch (given.type) {
      case 'deny':
        return refused({ by: 'person', ...defined({ says: given.says }) }, facts);
      case 'unanswered': {
        const reason = `Nobody allowed this call, because the question about it could not be answered: ${given.why}`;
        return { block: true, reason, approvalReason: { by: 'nobody' } };
      }
      case 'once':
        return given.edited === undefined
          ? allowed({ by: 'person' })
          : allowed({ by: 'person', edited: true }, given.edited);
      case 'session':
        approvals.allowInSession(given.rule);
        return allowed({ by: 'person', rule: ruleText(given.rule) });
      case 'always':
        await settings.rules.add(given.rule);
        return allowed({ by: 'person', rule: ruleText(given.rule) });
    }
  }
}

/** Decides about a call. Only if the user would be asked, it finds out whether the call is a command that only reads. */
async function decideReading(
  parts: DecisionParts,
  places: Places,
  reading: PlainReading | undefined,
  signal: AbortSignal | undefined,
): Promise<Decision> {
  const decision = decide(parts);
  if (decision.type !== 'ask' || reading === undefined) return decision;
  const { cwd } = parts.facts;
  const mayRead = (real: string): boolean => {
    const facts = readingDetails(real, cwd, places);
    // Keys and profiles of the user are no part of the workspace.
    if (facts.file?.place === 'code' && !isWithin(real, realPathOf(cwd) ?? cwd)) return false;
    return decide({ ...parts, wasAsked: false, facts }).type === 'allow';
  };
  return decide({ ...parts, onlyReads: await onlyReads(parts.facts, reading, { mayRead, signal }) });
}

/** Gives an object that others hold the members of another one. */
function replaceMembers(object: Record<string, unknown>, members: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(object)) Reflect.deleteProperty(object, name);
  Object.assign(object, members);
}

function refused(approvalReason: ApprovalReason, facts: CallDetails): GateAnswer {
  const says = approvalReason.by === 'person' ? approvalReason.says : undefined;
  return { block: true, reason: withWords(gateRefusalText(approvalReason, facts), says), approvalReason };
}

/** A scope that owns nothing: the gate opens nothing, and exists as long as the process. */
const OPEN_SCOPE: HookScope = {
  isReleased: false,
  isIdle: false,
  begin: () => toDisposable(() => undefined),
  own: () => toDisposable(() => undefined),
  release: () => Promise.resolve(),
};

const NOWHERE = new Registration(new Error(), () => undefined);
