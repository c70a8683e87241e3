import { isDeepStrictEqual } from 'node:util';
import type { SessionUpdate, ToolCallContent, ToolCallStatus, ToolCallUpdate } from '@agentclientprotocol/sdk';
import * as l10n from '@vscode/l10n';
import type { AgentEvent } from '../../../agent/run/events';
import type { ToolArguments } from '../../../agent/tools/facts';
import { callDiff } from '../../../agent/tools/files/editing/call-diff';
import type { KnownTool, ToolOutcome, ToolResult } from '../../../agent/tools/tool';
import { defined } from '../../../base/defined';
import { membersOf } from '../../../base/json/is-record';
import type { Log } from '../../../base/log';
import type { AskedCall } from '../../../hook-contract/approvals/asked-call';
import { outputText } from '../../../transcript/message-text';
import { hookRef } from '../../../transcript/hook-ref';
import type { SessionClient } from '../client';
import {
  asJson,
  callWords,
  inputContent,
  resultContent,
  runsCommands,
  textContent,
  writesFile,
  type CallWords,
} from './call-content';
import { commandOutput, showsTerminals, TailOutput, terminalMeta, type CommandOutput } from './output';

export interface ToolCallsParts {
  readonly client: Pick<SessionClient, 'capabilities' | 'update' | 'whenDrained'>;
  /** Absolute. */
  readonly cwd: string;
  /** The tools of the conversation, as they are now. */
  readonly tools: () => readonly KnownTool[];
  readonly log: Log;
}

/** A call, as the model or a tool makes it. */
export interface MadeCall {
  readonly toolCallId: string;
  readonly name: string;
  readonly input: unknown;
  /** The call whose tool makes this one. */
  readonly parentToolCallId?: string | undefined;
}

interface ShownCall extends MadeCall {
  input: ToolArguments;
  status: ToolCallStatus;
  /** What is shown of it now, but for what its command prints. */
  content: ToolCallContent[];
  output: CommandOutput | undefined;
  /** What a tool shows of its result while it runs. */
  partial: TailOutput | undefined;
  /** The command has told its end. */
  hasExit: boolean;
  /** Settles when all updates so far are sent; undefined when they are. */
  told: Promise<void> | undefined;
}

type ToolCallAnnouncement = Extract<SessionUpdate, { readonly sessionUpdate: 'tool_call' }>;

type End = Extract<AgentEvent, { readonly type: 'tool_execution_end' }>;

/** A call as a question names it. */
export type CallInQuestion = Pick<AskedCall, 'toolName' | 'input'>;

/** A call in words, with what it changes. */
interface Description extends CallWords {
  readonly content: ToolCallContent[];
}

/** Shows the calls of a session to the client, from the complete arguments to the result. The updates of a call keep their order. */
export class ToolCalls {
  private readonly calls = new Map<string, ShownCall>();
  /** Updates that wait for a file, also those of calls that are over. */
  private readonly waiting = new Set<Promise<void>>();

  constructor(private readonly parts: ToolCallsParts) {}

  /** Resolves when the client was sent all updates so far. */
  async whenTold(): Promise<void> {
    await Promise.all(this.waiting);
  }

  /** The arguments of a call are complete. A call that is known already gets them, if they are others. */
  announce(made: MadeCall): void {
    if (this.calls.has(made.toolCallId)) {
      this.changeInput(made.toolCallId, made.input);
      return;
    }
    const input = membersOf(asJson(made.input));
    const call: ShownCall = {
      ...made,
      input,
      status: 'pending',
      content: [],
      output: undefined,
      partial: undefined,
      hasExit: false,
      told: undefined,
    };
    this.calls.set(call.toolCallId, call);
    this.describe(call, description => this.parts.client.update(this.announcement(call, input, description)));
  }

  /** Hooks changed the input, or the check of the arguments did. */
  changeInput(toolCallId: string, given: unknown): void {
    const call = this.open(toolCallId);
    const input = membersOf(asJson(given));
    if (call === undefined || isDeepStrictEqual(input, call.input)) return;
    call.input = input;
    this.describe(call, description => this.update(call, { rawInput: input, ...description }));
  }

  /** All gates let the call pass: it begins. */
  begin(toolCallId: string): void {
    const call = this.open(toolCallId);
    if (call?.status !== 'pending') return;
    call.status = 'in_progress';
    this.tell(call, () => this.update(call, { status: 'in_progress' }));
  }

  /** The command of a call printed something. */
  addOutput(toolCallId: string, chunk: string): void {
    const call = this.open(toolCallId);
    if (call === undefined) return;
    call.partial?.end();
    call.output ??= commandOutput(this.parts.client, toolCallId);
    call.output.add(chunk);
  }

  /** A tool shows what it has so far; its command does the same better. */
  showPartial(toolCallId: string, partial: ToolResult): void {
    const call = this.open(toolCallId);
    if (call === undefined || call.output !== undefined) return;
    (call.partial ??= new TailOutput(this.parts.client, toolCallId)).replace(outputText(partial));
  }

  /** The command of a call is over. */
  exit(toolCallId: string, exitCode: number | null, signal: string | null): void {
    const call = this.open(toolCallId);
    if (call === undefined || call.hasExit) return;
    call.hasExit = true;
    (call.output ??= commandOutput(this.parts.client, toolCallId)).end(exitCode, signal);
  }

  /** The call has a result. */
  end({ toolCallId, result, isError, outcome }: Pick<End, 'toolCallId' | 'result' | 'isError' | 'outcome'>): void {
    const call = this.open(toolCallId);
    if (call === undefined) return;
    const content = this.endContent(call, result, outcome);
    this.close(call, isError ? 'failed' : 'completed', { content, rawOutput: rawOutput(call, result) });
    this.failWhere(({ parentToolCallId }) => parentToolCallId === toolCallId);
  }

  /** The call will not run, or not to its end. */
  fail(toolCallId: string, reason: string): void {
    const call = this.open(toolCallId);
    if (call !== undefined) this.close(call, 'failed', { content: [textContent(reason)] });
  }

  /** The run is over: no call of the model has a result any more. */
  endRun(): void {
    this.failWhere(({ parentToolCallId }) => parentToolCallId === undefined);
    for (const [id, { status }] of this.calls) if (isOver(status)) this.calls.delete(id);
  }

  /** The session has the result of a call. */
  forget(toolCallId: string): void {
    this.calls.delete(toolCallId);
  }

  /** The calls whose results the session does not have yet, as they are now. */
  get unrecorded(): readonly SessionUpdate[] {
    return [...this.calls.values()].map(call => {
      const { name, input, status, content } = call;
      const words = callWords(name, input, this.parts.cwd, this.toolNamed(name));
      return { ...this.announcement(call, input, { ...words, content }), status };
    });
  }

  /**
   * What a question shows of a call: title, kind, the change as it would be now, or else all of its input. Resolves when
   * the client knows the call. `asked`: the call that the question is about, when it may be another one than was shown
   * last, or one that was never shown.
   */
  async permissionCall(toolCallId: string, asked?: CallInQuestion): Promise<ToolCallUpdate> {
    const call = this.open(toolCallId);
    if (asked !== undefined) this.changeInput(toolCallId, asked.input);
    await call?.told;
    const name = call?.name ?? asked?.toolName ?? l10n.t('Tool call');
    const input = call?.input ?? membersOf(asJson(asked?.input));
    const tool = this.toolNamed(name);
    const { content: changes, ...words } = await this.withChange(name, input);
    const content = changes.length > 0 ? changes : inputContent(name, input, tool);
    return { toolCallId, name, status: call?.status ?? 'pending', ...words, content, rawInput: input };
  }

  /** Shows a call as it was before a question was shown on it; one that ended meanwhile shows its result. */
  restore(toolCallId: string): void {
    const call = this.open(toolCallId);
    if (call === undefined) return;
    const { name, input, output, partial } = call;
    const { title, kind } = callWords(name, input, this.parts.cwd, this.toolNamed(name));
    const tail = [output, partial].find(one => one instanceof TailOutput);
    this.tell(call, () => this.update(call, { title, kind, content: tail?.content ?? call.content }));
  }

  private failWhere(isMeant: (call: ShownCall) => boolean): void {
    for (const call of [...this.calls.values()].filter(isMeant)) {
      this.fail(call.toolCallId, l10n.t('This call was stopped.'));
    }
  }

  private open(toolCallId: string): ShownCall | undefined {
    const call = this.calls.get(toolCallId);
    return call === undefined || isOver(call.status) ? undefined : call;
  }

  private close(call: ShownCall, status: 'completed' | 'failed', more: Partial<ToolCallUpdate>): void {
    if (!call.hasExit) {
      call.hasExit = true;
      call.output?.end(null, null);
    }
    call.partial?.end();
    call.status = status;
    call.content = more.content ?? call.content;
    if (call.parentToolCallId !== undefined) this.calls.delete(call.toolCallId); // The session has no result of it.
    this.tell(call, () => this.update(call, { status, ...more }));
  }

  /** Undefined where the terminal of a command has all of it. */
  private endContent(call: ShownCall, result: ToolResult, outcome: ToolOutcome): ToolCallContent[] | undefined {
    const content = resultContent(result.content);
    switch (outcome.type) {
      case 'blocked': {
        const { reason, by } = outcome;
        return [textContent(by === undefined ? reason : l10n.t('Blocked by {0}: {1}', hookRef(by).name, reason))];
      }
      case 'done':
        if (writesFile(call.name, call.input)) return [...call.content, ...content];
        return this.isInTerminal(call) ? undefined : content;
      case 'failed':
      case 'stopped':
        return this.isInTerminal(call) ? undefined : content;
      case 'notFound':
      case 'skipped':
        return content;
    }
  }

  private isInTerminal({ hasExit, output }: ShownCall): boolean {
    return hasExit && output !== undefined && showsTerminals(this.parts.client);
  }

  private announcement(call: ShownCall, rawInput: ToolArguments, description: Description): ToolCallAnnouncement {
    const { toolCallId, name } = call;
    const meta = defined({ _meta: this.metaOf(call) });
    return { sessionUpdate: 'tool_call', toolCallId, name, status: 'pending', rawInput, ...description, ...meta };
  }

  private metaOf({ toolCallId, name, parentToolCallId }: ShownCall): Record<string, unknown> | undefined {
    const terminal = this.hasTerminal(name) ? terminalMeta(toolCallId, this.parts.cwd) : {};
    const meta = { ...defined({ parentToolCallId }), ...terminal };
    return Object.keys(meta).length === 0 ? undefined : meta;
  }

  private hasTerminal(name: string): boolean {
    return runsCommands(name) && showsTerminals(this.parts.client);
  }

  /** Calls `show` with the call in words: at once, unless a file must be read for that. */
  private describe(call: ShownCall, show: (description: Description) => void): void {
    const { name, input, toolCallId } = call;
    if (!writesFile(name, input)) {
      const words = callWords(name, input, this.parts.cwd, this.toolNamed(name));
      call.content = this.hasTerminal(name) ? [{ type: 'terminal', terminalId: toolCallId }] : [];
      this.tell(call, () => show({ ...words, content: call.content }));
      return;
    }
    // The file is read now: soon, the call may have changed it.
    const described = this.withChange(name, input);
    this.tell(call, async () => {
      const description = await described;
      call.content = description.content;
      show(description);
    });
  }

  /** A call in words, and its change as it would be now where the tool writes a file. Never rejects. */
  private async withChange(name: string, input: ToolArguments): Promise<Description> {
    const { cwd, log } = this.parts;
    const words = callWords(name, input, cwd, this.toolNamed(name));
    if (!writesFile(name, input)) return { ...words, content: [] };
    try {
      const diff = await callDiff(name, input, cwd);
      if (diff === undefined) return { ...words, content: [] };
      const { path } = diff;
      if (diff.type === 'unknown') {
        const content = [textContent(l10n.t('The change cannot be shown: {0}', diff.why))];
        return { ...words, locations: [{ path }], content };
      }
      const { before: oldText, after: newText, line } = diff;
      return { ...words, locations: [{ path, line }], content: [{ type: 'diff', path, oldText, newText }] };
    } catch (error) {
      log.error(`The change of a call of ${name} could not be found out`, error);
      return { ...words, content: [] };
    }
  }

  private toolNamed(name: string): KnownTool | undefined {
    return this.parts.tools().find(tool => tool.name === name);
  }

  private update({ toolCallId }: ShownCall, fields: Omit<ToolCallUpdate, 'toolCallId'>): void {
    this.parts.client.update({ sessionUpdate: 'tool_call_update', toolCallId, ...defined(fields) });
  }

  /** Does a step after the ones before it: at once, unless one of those waits. */
  private tell(call: ShownCall, step: () => Promise<void> | void): void {
    const done = call.told === undefined ? step() : call.told.then(step);
    if (done === undefined) return;
    const told = done
      .catch((error: unknown) => this.parts.log.error('An update of a call could not be sent', error))
      .then(() => {
        this.waiting.delete(told);
        if (call.told === told) call.told = undefined;
      });
    this.waiting.add(told);
    call.told = told;
  }
}

function isOver(status: ToolCallStatus): boolean {
  return status === 'completed' || status === 'failed';
}

/** The result as data. What a command printed is in the content already. */
function rawOutput(call: ShownCall, { structuredContent, details, content }: ToolResult): unknown {
  const data = asJson(structuredContent ?? details);
  if (runsCommands(call.name)) return asJson({ ...membersOf(data), output: undefined });
  return data ?? content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n');
}
