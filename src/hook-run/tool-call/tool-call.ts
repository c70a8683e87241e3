import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ContentPart } from '../../agent/messages';
import { ChangedTargetError, isSameTarget, withTarget, type FileTarget } from '../../agent/tools/files/file-target';
import {
  ABORTED_TEXT,
  ToolBlocked,
  ToolError,
  type AnyTool,
  type GatedTool,
  type ToolContext,
  type ToolResult,
  type ToolUpdate,
} from '../../agent/tools/tool';
import { deferred } from '../../base/async/wait';
import { defined } from '../../base/defined';
import { messageOf } from '../../base/errors';
import { ApprovedInput } from '../../gate/calls/approved-input';
import { targetOf, toolKind } from '../../gate/calls/call-details';
import type { AskedCall } from '../../hook-contract/approvals/asked-call';
import { withWords } from './denial-words';
import { editedResultText, withEdit } from './edit-words';
import type { GateHook } from './gate-hook';
import type { GateAnswer } from '../../gate/approval-settings';
import type { EditedCall } from '../../hook-contract/conversation-approvals';
import type { HookConversation } from '../../hook-contract/conversation-port';
import { copyData } from '../../hook-contract/copy';
import { SWAP_TAKES_LONG, type HookRunner } from '../dispatch/runner';
import type { DuringCall } from '../../gate/held-changes/agent-changes';

/** What the calls of a tool pass. */
export interface CallPath {
  readonly conversation: HookConversation;
  /** The call whose tool makes these calls. */
  readonly parentToolCallId?: string | undefined;
  readonly runner: HookRunner;
  /** Asked when all hooks have let a call pass; undefined: there is none. */
  readonly builtInGate: GateHook | undefined;
  /** Counts changes of files during a call as the agent's. */
  readonly duringCall: DuringCall;
  readonly around: CallSurroundings;
}

/** What the conversation does around a call. */
export interface CallSurroundings {
  /** Resolves when hooks got all events before the call. */
  whenDelivered(signal: AbortSignal | undefined): Promise<void>;
  /** All gates let the call pass; it runs when it is its turn. */
  admitted(toolCallId: string): void;
  /** Called when the tool itself begins; a rejection is the call's failure. */
  begin(tool: AnyTool, call: ToolCallOfHooks, signal: AbortSignal | undefined): Promise<BegunCall>;
  /** Makes the images of a result small enough. Called last, because those that hooks add stay in the conversation, too. */
  fit(result: ToolResult): Promise<ToolResult>;
}

/** A call whose tool runs. */
export interface BegunCall {
  /** What the tool gets of the conversation. */
  readonly context: ToolContext | undefined;
  /** To be called when the tool has ended, however it did. */
  readonly end: () => Promise<void>;
  /**
   * To be called after {@link end}. If something of the call runs on, it settles when that has ended: until then, its changes
   * count. Never rejects.
   */
  readonly afterwards?: () => Promise<void> | undefined;
}

/** One tool call while hooks handle it. */
export interface ToolCallOfHooks {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly parentToolCallId?: string;
  readonly input: Record<string, unknown>;
}

/**
 * The path of a tool's calls, of the model and of other tools; nothing else runs a tool of the agent:
 *
 * 1. admit: `tool_call` handlers, missing gates and the built-in gate may block the call or change its input.
 * 2. watch: what changes in hook files from here on waits for approval, as long as something of the call runs.
 * 3. run: the tool itself.
 * 4. review: `tool_result` handlers may change the result.
 * 5. fit: images of the result are made small enough.
 *
 * See docs/dialects.md, D22, C17, C18. A blocked call emits no `tool_result`. An aborted call throws `Operation aborted`, even
 * while a hook is asking.
 */
export function gatedTool(tool: AnyTool, path: CallPath): GatedTool {
  const { conversation, parentToolCallId, runner, around } = path;
  const gated = {
    ...tool,
    execute: undefined, // Nobody runs it without `admit`.
    admit: async (toolCallId: string, input: Record<string, unknown>, signal: AbortSignal | undefined) => {
      const call = { toolCallId, toolName: tool.name, ...defined({ parentToolCallId }), input };
      await around.whenDelivered(signal);
      const { target, edited } = await admit(tool, call, path, signal);
      around.admitted(toolCallId);
      let hasRun = false;
      return async (onUpdate?: ToolUpdate): Promise<ToolResult> => {
        if (hasRun) throw new Error(`The call ${toolCallId} was admitted once, and has run.`);
        hasRun = true;
        await around.whenDelivered(signal);
        stopIfAborted(signal);
        const updates = { given: false };
        const passOn = (partial: ToolResult): void => {
          updates.given = true;
          onUpdate?.(partial);
        };
        const settled = await settle(() =>
          withTarget(target, () => watched(tool, call, path, { signal, onUpdate: passOn })),
        );
        // The agent emits the last partial result before hooks get the result.
        if (updates.given) await setImmediate();
        const told = edited === undefined ? settled : withChange(settled, edited);
        return around.fit(await review(call, told, { runner, conversation, signal }));
      };
    },
  };
  return gated as Omit<typeof gated, 'execute'> as GatedTool;
}

/** A call that passed all gates. */
interface Admission {
  /** The file that the call may use, where that is known. */
  readonly target: FileTarget | undefined;
  /** The call as the user changed it, if they did and that is what runs. */
  readonly edited?: EditedCall | undefined;
}

/**
 * Lets a call pass, after all hooks, then missing gates and then the built-in gate were asked. If the user changes the call in
 * the question of the built-in gate, hooks and missing gates are asked about it again, and the gate only if one of them changes
 * it, too. Throws {@link ToolBlocked} with the reason that the model reads: of the hook that blocks, of the gate that is missing,
 * or of the built-in gate, each with what the user says about a denial, and with what the user changed before.
 */
async function admit(
  tool: AnyTool,
  call: ToolCallOfHooks,
  path: CallPath,
  signal: AbortSignal | undefined,
): Promise<Admission> {
  const { toolName, input } = call;
  const { conversation } = path;
  const { cwd } = conversation;
  const kind = toolKind(tool);
  const asked: AskedCall = { toolName, kind, input, cwd, ...defined({ definition: tool.definition }) };
  // Hooks may ask the user about the file before the built-in gate looks at it.
  const before = targetOf(asked);
  const approved = new ApprovedInput({ kind, cwd });
  let last: Admission | undefined;
  for (;;) {
    const edited = last?.edited;
    const step: GateStep = { call, path, approved, signal, edited };
    const hasHooks = await passHooks(step);
    // Called after the hooks: they may have changed the input, and the user must confirm what runs.
    await passMissingGate(step);
    const admission =
      last !== undefined && approved.isEdited(input) ? last : await passBuiltInGate(step, { asked, before, hasHooks });
    if (admission === last || admission.edited === undefined) {
      reportDenial(call, conversation);
      const isEdited = edited !== undefined && isDeepStrictEqual(input, edited.input);
      return { target: admission.target, edited: isEdited ? edited : undefined };
    }
    approved.noteEdited(copyData(admission.edited.input));
    last = admission;
  }
}

/** One round of questions about a call. */
interface GateStep {
  readonly call: ToolCallOfHooks;
  readonly path: CallPath;
  readonly approved: ApprovedInput;
  readonly signal: AbortSignal | undefined;
  /** The call as the user changed it in the round before. */
  readonly edited: EditedCall | undefined;
}

/** Asks all hooks. Returns whether there are any. */
async function passHooks(step: GateStep): Promise<boolean> {
  const { call, path, approved, signal } = step;
  const { runner, conversation } = path;
  stopIfAborted(signal);
  const isInPlace = await runner.whenSwapped(signal);
  stopIfAborted(signal);
  if (!isInPlace) throw new ToolBlocked(SWAP_TAKES_LONG);
  const ofHooks = runner.askGates({ type: 'tool_call', ...call }, conversation, { signal, approved });
  if (ofHooks === undefined) return false;
  const verdict = await ofHooks;
  stopIfAborted(signal);
  if (verdict.block) throw new ToolBlocked(refusal(verdict.reason, step), verdict.by, verdict.terminate);
  return true;
}

/** Asks about a missing gate, until the answer is about the input that runs: code that a hook left running may change it. */
async function passMissingGate(step: GateStep): Promise<void> {
  const { call, path, approved, signal } = step;
  const { runner, conversation } = path;
  while (runner.missingGate !== undefined) {
    const shown = copyData(call.input);
    const missing = await runner.missingGate(call, conversation, signal);
    stopIfAborted(signal);
    if (missing.type === 'refused') throw new ToolBlocked(refusal(missing.reason, step));
    if (missing.type === 'unneeded') return;
    approved.note(shown);
    if (approved.covers(call.input)) return;
  }
}

/** Asks the built-in gate. `before`: the file of the call before the first hook was asked. */
async function passBuiltInGate(
  step: GateStep,
  {
    asked,
    before,
    hasHooks,
  }: { readonly asked: AskedCall; readonly before: FileTarget | undefined; readonly hasHooks: boolean },
): Promise<Admission> {
  const { call, path, approved, signal } = step;
  const { runner, builtInGate, conversation } = path;
  const wasAsked = approved.covers(call.input);
  let admission: Admission = { target: before && { ...before, isAsked: wasAsked } };
  const tell = ({ target, edited }: GateAnswer): void => void (admission = { target, edited });
  const delivery = builtInGate?.delivery({ call: asked, state: { wasAsked, hasHooks }, tell }, conversation);
  if (delivery !== undefined) {
    const verdict = await runner.emitThrough([delivery], { type: 'tool_call', ...call }, conversation, { signal });
    stopIfAborted(signal);
    if (verdict.block) throw new ToolBlocked(refusal(verdict.reason, step), verdict.by);
  }
  const { target } = admission;
  if (wasAsked && before !== undefined && !(target !== undefined && isSameTarget(before, target))) {
    const { message } = new ChangedTargetError(String(call.input['path']), 'it changed');
    throw new ToolBlocked(refusal(message, step));
  }
  return admission;
}

/**
 * The reason of a refusal for the model. The user may say something about a denial: the hook gets its documented answer, the
 * model gets both.
 */
function refusal(reason: string, { call, path, edited }: GateStep): string {
  return withEdit(withWords(reason, path.conversation.takeDenial?.(call.toolCallId)), edited);
}
/** The hook let the call pass anyway: the user's reason must not be lost. */
function reportDenial({ toolCallId }: ToolCallOfHooks, conversation: HookConversation): void {
  const message = conversation.takeDenial?.(toolCallId);
  if (message === undefined) return;
  conversation
    .sendUserMessage(message, { deliverAs: 'steer', queueWhenStreaming: true })
    .catch((error: unknown) =>
      conversation.ui.notify(messageOf(error), 'error', { hookPath: '', event: 'tool_call', toolCallId }),
    );
}

interface RunOptions {
  readonly signal: AbortSignal | undefined;
  readonly onUpdate: ToolUpdate;
}

/** Runs the tool. What the call leaves running does not delay the result, and is watched until it ends. */
async function watched(
  tool: AnyTool,
  call: ToolCallOfHooks,
  { duringCall, around }: CallPath,
  { signal, onUpdate }: RunOptions,
): Promise<ToolResult> {
  const returned = deferred<ToolResult>();
  const watch = duringCall(tool, async () => {
    const { context, end, afterwards } = await around.begin(tool, call, signal);
    let result: ToolResult;
    try {
      result = await tool.execute(call.toolCallId, call.input, signal, onUpdate, context);
    } finally {
      await end();
    }
    const rest = afterwards?.();
    if (rest === undefined) return result;
    returned.resolve(result);
    await rest;
    return result;
  });
  watch.then(
    result => returned.resolve(result),
    (error: unknown) => returned.reject(error),
  );
  return await returned.promise;
}

/** How a tool ended, before any hook looked at it. */
interface Settled extends ToolResult {
  readonly isError: boolean;
  /** The error, if the tool threw one. */
  readonly thrown?: { readonly error: unknown };
}

async function settle(work: () => Promise<ToolResult>): Promise<Settled> {
  try {
    const result = await work();
    return { ...result, isError: result.isError === true };
  } catch (error) {
    return { content: contentOf(error), ...dataOf(error), isError: true, thrown: { error } };
  }
}

function dataOf(error: unknown): Pick<ToolResult, 'details' | 'structuredContent'> {
  if (!(error instanceof ToolError) || error.structuredContent === undefined) return { details: {} };
  const { details, structuredContent } = error;
  return { details, structuredContent };
}

function contentOf(error: unknown): ContentPart[] {
  return error instanceof ToolError ? error.content : [{ type: 'text', text: messageOf(error) }];
}

/** Tells the model what the user changed in the call; a call that failed left the file as it was. */
function withChange(settled: Settled, edited: EditedCall): Settled {
  if (settled.isError) return settled;
  return { ...settled, content: [...settled.content, { type: 'text', text: editedResultText(edited) }] };
}

/** Asks `tool_result` handlers. A result that is not reviewed in time is withheld, because a hook may remove something from it. */
async function review(
  call: ToolCallOfHooks,
  settled: Settled,
  {
    runner,
    conversation,
    signal,
  }: Pick<CallPath, 'runner' | 'conversation'> & { readonly signal?: AbortSignal | undefined },
): Promise<ToolResult> {
  const { thrown, ...result } = settled;
  if (!(await runner.whenSwapped(signal))) {
    stopIfAborted(signal);
    throw new Error(`The result was withheld: ${SWAP_TAKES_LONG}`);
  }
  if (!runner.hasHandlers('tool_result')) {
    if (thrown !== undefined) throw thrown.error;
    return result;
  }
  const { terminate, ...reported } = result;
  const event = { type: 'tool_result', ...call, ...reported } as const;
  const { isUnreviewed, ...answer } = await runner.emit(event, conversation, { signal });
  if (isUnreviewed === true) throw new Error(ABORTED_TEXT);
  const untouched =
    answer.content === reported.content &&
    answer.details === reported.details &&
    answer.isError === reported.isError &&
    !('usage' in answer);
  if (thrown !== undefined && untouched) throw thrown.error;
  return { ...answer, ...defined({ terminate }) };
}

/** @throws Error `Operation aborted` */
function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new Error(ABORTED_TEXT);
}
