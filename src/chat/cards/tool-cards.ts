import { performance } from 'node:perf_hooks';
import type { AssistantMessageEvent } from '@mariozechner/pi-ai';
import type { AgentEvent } from '../../agent/run/events';
import type { AssistantMessage } from '../../agent/messages';
import { MOST_NESTED_CALLS } from '../../agent/run/nested-record';
import { toolFacts } from '../../agent/tools';
import type { ToolResult } from '../../agent/tools/tool';
import { defined } from '../../base/defined';
import type { DispatchRecord } from '../../hook-contract/record';
import type { HookVerdict, NestedLine, ToolItem, ToolState } from '../../protocol/items/chat-item';
import type { CommandState } from '../../protocol/panels/running-commands';
import { withRecord } from '../call-records/call-record';
import type { SessionCalls } from '../call-records/session-calls';
import type { RecordedCommandEnd } from '../../transcript/command-end';
import { storedOutcome } from '../../transcript/stored-outcome';
import { stateAtEnd } from './command-states';
import { toolItemId, type ChatModel } from '../model/chat-model';
import { nestedLine } from './nested-lines';
import { outputText } from '../../transcript/message-text';
import { argumentFields, newToolItem, resultFields } from './present-tool';
import { endState, presentVerdict } from './present-verdict';
import type { Drawings } from './drawings';

/** What the cards of tool calls need to know of their conversation. */
export interface ToolCardContext {
  readonly cwd: string;
  /** True when some hook looks at this tool before it runs. */
  isGated(toolName: string): boolean;
  /** What is known of calls and answers beyond their session. */
  readonly calls: Pick<SessionCalls, 'of' | 'keep' | 'thoughts' | 'keepThoughts'>;
  /** Files that a call changed. */
  touchedBy(toolCallId: string): NonNullable<ToolItem['touched']>;
  /** Whether the user keeps what a call changed. */
  isKept(toolCallId: string): boolean;
  /** How hooks draw their own messages and entries, and tools. */
  readonly drawings: Pick<Drawings, 'message' | 'entry' | 'call' | 'result' | 'reset'>;
}

/** A call as the chat shows it. `isNested`: in the card of the model's call. */
export interface ShownCall extends Pick<ToolItem, 'name' | 'summary' | 'summaryKind'> {
  readonly isNested: boolean;
}

/** The cards of tool calls in the chat, from the call's first word to its result. */
export class ToolCards {
  /** Notified when a tool itself begins and ends. */
  readonly clock = new CallClock();
  /** The model's call in whose card a nested call is shown, while that call is not over. */
  private readonly roots = new Map<string, string>();
  /** Verdicts about nested calls that are not over. */
  private readonly nestedVerdicts = new Map<string, HookVerdict[]>();
  /** Verdicts that the cards of their calls do not have yet: handlers answer one right after the other. */
  private readonly unshown = new Map<string, HookVerdict[]>();

  constructor(
    private readonly chat: ChatModel,
    private readonly facts: ToolCardContext,
  ) {}

  /** Other cards are drawn. */
  reset(): void {
    this.clock.clear();
    this.unshown.clear();
  }

  /** All hooks let the call pass; it runs when it is its turn. */
  admitted(toolCallId: string): void {
    if (this.stateOf(toolCallId)?.type === 'checking') this.setState(toolCallId, { type: 'waiting' });
  }

  /** The tool itself begins. */
  runs(toolCallId: string): void {
    this.clock.start(toolCallId);
    this.setState(toolCallId, { type: 'running', startedAt: Date.now() });
  }

  /** A question about the call was answered; other hooks may still check it. */
  stopsAsking(toolCallId: string): void {
    if (this.stateOf(toolCallId)?.type === 'asking') this.setState(toolCallId, { type: 'checking' });
  }

  private stateOf(toolCallId: string): ToolState | undefined {
    const item = this.chat.get(toolItemId(toolCallId));
    return this.lineOf(toolCallId)?.state ?? (item?.kind === 'tool' ? item.state : undefined);
  }

  setState(toolCallId: string, state: ToolState): void {
    const line = this.lineOf(toolCallId);
    const id = this.itemIdOf(toolCallId);
    if (line !== undefined) this.chat.apply({ type: 'nestedCall', id, call: { ...line, state } });
    else if (this.chat.get(id) !== undefined) this.chat.apply({ type: 'toolState', id, state });
  }

  /** Id of the item that shows a call; a nested call is shown in the card of the model's call. */
  itemIdOf(toolCallId: string): string {
    return toolItemId(this.roots.get(toolCallId) ?? toolCallId);
  }

  /** What is shown of a call, in its own card or in that of the model's call; undefined if nothing is. */
  shownCall(
    toolCallId: string,
  ): (Pick<ToolItem, 'name' | 'summary' | 'summaryKind'> & { isNested: boolean }) | undefined {
    const isNested = this.roots.has(toolCallId);
    const item = isNested ? this.lineOf(toolCallId) : this.chat.get(toolItemId(toolCallId));
    if (item === undefined || ('kind' in item && item.kind !== 'tool')) return undefined;
    const { name, summary, summaryKind } = item;
    return { name, summary, summaryKind, isNested };
  }

  /** Shows the input of a call if hooks changed it. */
  showInput(toolCallId: string, input: Readonly<Record<string, unknown>>): void {
    const line = this.lineOf(toolCallId);
    if (line !== undefined) this.putLine({ ...line, summary: toolFacts(line.name).summarize(input) });
    const item = this.chat.get(toolItemId(toolCallId));
    if (item?.kind !== 'tool') return;
    const shown = this.withInput(item, toolCallId, input);
    if (shown !== item) this.put(shown);
  }

  /** Adds a handler's verdict, and its changes of the arguments, to the card of the call; soon, with those that follow. */
  addVerdict(record: DispatchRecord): void {
    const { toolCallId, event, before } = record;
    if (toolCallId === undefined || (event !== 'tool_call' && event !== 'tool_result')) return;
    const verdicts = this.nestedVerdicts.get(toolCallId);
    if (verdicts !== undefined) {
      if (record.input !== undefined && (verdicts.length === 0 || before !== undefined)) {
        this.showInput(toolCallId, record.input);
      }
      verdicts.push(presentVerdict(record, () => verdicts));
      return;
    }
    const item = this.chat.get(toolItemId(toolCallId));
    if (item?.kind !== 'tool') return;
    const unshown = this.unshownOf(toolCallId);
    // Beside handlers, only the check of the arguments before the first one changes them.
    const isFirst = item.verdicts.length + unshown.length === 0;
    if (record.input !== undefined && (isFirst || before !== undefined)) this.showInput(toolCallId, record.input);
    unshown.push(presentVerdict(record, () => [...item.verdicts, ...unshown]));
  }

  private unshownOf(toolCallId: string): HookVerdict[] {
    const known = this.unshown.get(toolCallId);
    if (known !== undefined) return known;
    if (this.unshown.size === 0) setImmediate(() => this.showVerdicts());
    const unshown: HookVerdict[] = [];
    this.unshown.set(toolCallId, unshown);
    return unshown;
  }

  private showVerdicts(): void {
    for (const toolCallId of this.unshown.keys()) {
      const item = this.chat.get(toolItemId(toolCallId));
      if (item?.kind === 'tool') this.put({ ...item, verdicts: this.verdictsOf(item) });
      else this.unshown.delete(toolCallId);
    }
  }

  /** All verdicts of a card, which it is about to get. */
  private verdictsOf({ toolCallId, verdicts }: ToolItem): readonly HookVerdict[] {
    const unshown = this.unshown.get(toolCallId);
    this.unshown.delete(toolCallId);
    return unshown === undefined ? verdicts : [...verdicts, ...unshown];
  }

  /** A card appears as soon as the call has a name; its arguments are drawn once, when they are complete. */
  show(
    message: AssistantMessage,
    event: Extract<AssistantMessageEvent, { type: 'toolcall_start' | 'toolcall_delta' | 'toolcall_end' }>,
  ): void {
    const part = event.type === 'toolcall_end' ? event.toolCall : message.content[event.contentIndex];
    if (part?.type !== 'toolCall' || part.id === '' || part.name === '') return;
    const known = this.chat.get(toolItemId(part.id)) !== undefined;
    if (known && event.type !== 'toolcall_end') return;
    const isWritten = event.type === 'toolcall_end';
    const call = { id: part.id, name: part.name, args: isWritten ? part.arguments : {} };
    const state: ToolState = { type: isWritten ? 'waiting' : 'writing' };
    this.chat.apply({ type: 'item', item: { ...newToolItem(call, this.facts.cwd), state } });
  }

  /** A call begins; `byUser`: the user runs it again. */
  start(event: Extract<AgentEvent, { type: 'tool_execution_start' }>, byUser: boolean): void {
    const { toolCallId, toolName: name, args, parentToolCallId } = event;
    const state: ToolState = { type: this.facts.isGated(name) ? 'checking' : 'waiting' };
    if (parentToolCallId !== undefined) {
      const rootId = this.roots.get(parentToolCallId) ?? parentToolCallId;
      this.roots.set(toolCallId, rootId);
      this.nestedVerdicts.set(toolCallId, []);
      this.putLine(nestedLine({ id: toolCallId, name, args }, rootId, state));
      return;
    }
    const id = toolItemId(toolCallId);
    const known = this.chat.get(id);
    const fresh = known?.kind === 'tool' ? known : newToolItem({ id: toolCallId, name, args }, this.facts.cwd);
    const drawn = this.facts.drawings.call(id, name, toolCallId, args);
    const who = byUser ? { byUser: true as const } : {};
    this.put({ ...fresh, ...who, ...argumentFields(name, args, this.facts.cwd), ...drawn, state });
  }

  /** What becomes of the command that a call runs. */
  setCommand(toolCallId: string, command: CommandState): void {
    const item = this.chat.get(toolItemId(toolCallId));
    if (item?.kind === 'tool') this.put({ ...item, command });
  }

  /** The command of a call has ended; `end`: after the call had returned. */
  endCommand(toolCallId: string, end: RecordedCommandEnd | undefined): void {
    const item = this.chat.get(toolItemId(toolCallId));
    if (item?.kind !== 'tool') return;
    if (end === undefined) this.put(withoutCommand(item));
    else this.put({ ...item, ...this.touched(toolCallId), command: stateAtEnd(end) });
  }

  showOutput(toolCallId: string, partial: ToolResult): void {
    const id = toolItemId(toolCallId);
    const text = outputText(partial);
    const item = this.chat.get(id);
    if (item?.kind !== 'tool') return;
    const { drawing } = this.facts.drawings.result(id, { value: partial, isPartial: true, isError: false });
    if (drawing !== undefined) this.put({ ...item, drawing, output: text });
    if (drawing !== undefined || item.output === text) return;
    const grown = item.output !== '' && text.startsWith(item.output);
    this.chat.apply({ type: 'output', id, append: grown ? text.slice(item.output.length) : text, reset: !grown });
  }

  end(event: Extract<AgentEvent, { type: 'tool_execution_end' }>): void {
    if (event.parentToolCallId !== undefined) {
      this.endLine(event);
      return;
    }
    for (const [id, rootId] of this.roots) if (rootId === event.toolCallId) this.roots.delete(id);
    const item = this.chat.get(toolItemId(event.toolCallId));
    if (item?.kind !== 'tool') return;
    const fields = resultFields(item.name, event.result);
    const { result: value, isError, durationMs } = event;
    const ran = defined({ durationMs });
    const drawn = this.facts.drawings.result(item.id, { value, isPartial: false, isError, ...ran });
    const verdicts = this.verdictsOf(item);
    const state = endState(event.outcome, verdicts, this.clock.take(event.toolCallId));
    const ended = { ...item, ...fields, ...this.touched(event.toolCallId), ...drawn, verdicts, state };
    this.put(ended);
    this.facts.calls.keep(ended);
  }

  /** A card drawn from its session, with what else is known of the call. */
  restored(
    drawn: ToolItem,
    { isError, timestamp }: { readonly isError: boolean; readonly timestamp: number },
  ): ToolItem {
    const card = { ...drawn, ...this.touched(drawn.toolCallId) };
    const record = this.facts.calls.of(card.toolCallId, timestamp);
    const outcome = storedOutcome({ toolName: card.name, text: card.output, isError }, record);
    return record === undefined
      ? { ...card, unrecorded: true, state: endState(outcome, [], undefined) }
      : { ...withRecord(card, record), state: endState(outcome, record.verdicts, record.ms) };
  }

  private endLine({
    toolCallId,
    outcome,
    result,
    durationMs,
  }: Extract<AgentEvent, { type: 'tool_execution_end' }>): void {
    const line = this.lineOf(toolCallId);
    if (line === undefined) return;
    const state = endState(
      outcome,
      this.nestedVerdicts.get(toolCallId) ?? [],
      this.clock.take(toolCallId) ?? durationMs,
    );
    this.nestedVerdicts.delete(toolCallId);
    const error = outcome.type === 'failed' ? outputText(result) : '';
    this.putLine({ ...line, state, ...(error === '' ? {} : { error }) });
  }

  private lineOf(toolCallId: string): NestedLine | undefined {
    const item = this.roots.has(toolCallId) ? this.chat.get(this.itemIdOf(toolCallId)) : undefined;
    return item?.kind === 'tool' ? item.nested?.find(({ id }) => id === toolCallId) : undefined;
  }

  /** A card has at most as many lines as the session records. */
  private putLine(call: NestedLine): void {
    const id = this.itemIdOf(call.id);
    const item = this.chat.get(id);
    if (item?.kind !== 'tool') return;
    const isNew = this.lineOf(call.id) === undefined;
    if (!isNew || (item.nested?.length ?? 0) < MOST_NESTED_CALLS) this.chat.apply({ type: 'nestedCall', id, call });
  }

  private withInput(item: ToolItem, toolCallId: string, input: Readonly<Record<string, unknown>>): ToolItem {
    const fields = argumentFields(item.name, input, this.facts.cwd);
    if (fields.args === item.args && fields.summary === item.summary) return item;
    const modelArgs = item.modelArgs ?? item.args;
    return { ...item, ...fields, modelArgs, ...this.facts.drawings.call(item.id, item.name, toolCallId, input) };
  }

  private touched(toolCallId: string): Pick<ToolItem, 'touched' | 'kept'> {
    const touched = this.facts.touchedBy(toolCallId);
    if (touched.length === 0) return {};
    return { touched, ...(this.facts.isKept(toolCallId) ? { kept: true } : {}) };
  }

  private put(item: ToolItem): void {
    this.chat.apply({ type: 'item', item });
  }
}

function withoutCommand({ command: _command, ...rest }: ToolItem): ToolItem {
  return rest;
}

/** How long tools themselves run, ms: neither what hooks take before and after nor what the user takes to answer. */
class CallClock {
  private readonly running = new Map<string, number>();
  private readonly ran = new Map<string, number>();

  start(toolCallId: string): void {
    this.running.set(toolCallId, performance.now());
  }

  stop(toolCallId: string): void {
    const startedAt = this.running.get(toolCallId);
    if (startedAt === undefined) return;
    this.running.delete(toolCallId);
    this.ran.set(toolCallId, Math.round((performance.now() - startedAt) * 1_000) / 1_000);
  }

  /**
   * Returns the duration of a call in ms and forgets it; undefined when the tool never began. For a call without an end, the
   * time until now.
   */
  take(toolCallId: string): number | undefined {
    this.stop(toolCallId);
    const ms = this.ran.get(toolCallId);
    this.ran.delete(toolCallId);
    return ms;
  }

  clear(): void {
    this.running.clear();
    this.ran.clear();
  }
}
