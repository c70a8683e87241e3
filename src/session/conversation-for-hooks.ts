import type { Api, Model } from '@mariozechner/pi-ai';
import type { ContentPart } from '../agent/messages';
import type { ScopedModel } from '../agent/models/choice/model-scope';
import type { PromptOptions } from '../agent/prompt/system-prompt';
import type { KnownTool } from '../agent/tools/tool';
import { noUi, type HookUIContext } from '../hook-contract/ui/ui';
import { copyData } from '../hook-contract/copy';
import {
  canAsk,
  type BusyUntil,
  type CommandInfo,
  type ContextUsage,
  type ConversationMode,
  type ForkOutcome,
  type HookConversation,
  type HookDelivery,
} from '../hook-contract/conversation-port';
import type { CompactionResult, CustomMessageDraft } from '../hook-contract/hook-event';
import type { ResourceSource } from '../startup/resources';
import type { Approvals } from './approvals/approvals';
import type { ConversationPorts } from './ports/ports';
import type { HookQuestions } from './questions/hook-questions';
import { resourceCommands } from './prompts/resource-commands';
import type { Inbox } from './prompts/inbox';
import type { ModelChoice } from './models/model-choice';
import type { RunControl } from './run/run-control';
import type { Toolset } from './run/toolset';
import type { SessionEvents } from './ports/session-events';
import type { SessionFlow } from './moves/session-flow';
import type { SessionState } from './state/session-state';
import type { NavigateOptions, TreeFlow } from './moves/tree-flow';
import type { SessionStatus } from './session-status';

/** The parts of a conversation that hooks reach. */
export interface ReachableParts {
  readonly id: string;
  readonly ports: ConversationPorts;
  readonly resources: ResourceSource;
  readonly state: SessionState;
  readonly questions: HookQuestions;
  readonly approvals: Approvals | undefined;
  readonly toolset: Toolset;
  readonly models: ModelChoice;
  readonly run: RunControl;
  readonly status: SessionStatus;
  readonly tree: TreeFlow;
  readonly sessions: SessionFlow;
  readonly inbox: Inbox;
  readonly events: SessionEvents;
}

/**
 * What hooks see of a conversation, with the session that it has at the time. It is created before the parts that send
 * events to hooks; no hook is called before all parts exist.
 */
export class ConversationForHooks implements HookConversation {
  /** What hooks get as `ctx.ui`, once one has asked for it. */
  private shownUi: HookUIContext | undefined;

  constructor(private readonly of: ReachableParts) {}

  get id(): string {
    return this.of.id;
  }

  get cwd(): string {
    return this.of.ports.cwd;
  }

  get modelRegistry(): object {
    return this.of.ports.models;
  }

  get mode(): ConversationMode {
    return this.of.ports.mode;
  }

  get hasUI(): boolean {
    return canAsk(this.mode);
  }

  get ui(): HookUIContext {
    const { ports, questions } = this.of;
    const ask: HookUIContext['ask'] = question => questions.ask(question);
    return (this.shownUi ??= (this.hasUI ? ports.hookUi?.(ask) : undefined) ?? noUi);
  }

  get sessionManager(): object {
    return this.of.state.store;
  }

  get sessionFile(): string | undefined {
    return this.of.state.store.getSessionFile();
  }

  get signal(): AbortSignal | undefined {
    return this.of.run.signal;
  }

  get approvals(): Approvals | undefined {
    return this.of.approvals;
  }

  model(): Model<Api> | undefined {
    return this.of.state.model;
  }

  setModel(model: Model<Api>): Promise<boolean> {
    return this.of.models.set(model);
  }

  scopedModels(): readonly ScopedModel[] {
    return this.of.models.scope.models;
  }

  thinkingLevel(): string {
    return this.of.state.effectiveLevel;
  }

  setThinkingLevel(level: string): void {
    this.of.models.setThinkingLevel(level);
  }

  resolveApiKey(model: Model<Api>): Promise<string | undefined> {
    return this.of.ports.models.getApiKey(model);
  }

  isIdle(until: BusyUntil): boolean {
    const { run } = this.of;
    return until === 'settled' ? run.isSettled : run.isIdle;
  }

  abort(): void {
    void this.of.run.stop('hook');
  }

  hasPendingMessages(): boolean {
    return this.of.inbox.waiting.hasTexts;
  }

  waitForIdle(): Promise<void> {
    return this.of.run.waitForIdle();
  }

  shutdown(): void {
    void this.of.run.waitForSettled().then(() => this.of.ports.shutdown(this.id));
  }

  contextUsage(): ContextUsage | undefined {
    return this.of.status.contextUsage;
  }

  systemPrompt(): string {
    return this.of.run.prompt.text;
  }

  promptOptions(): PromptOptions {
    return copyData(this.of.run.prompt.base);
  }

  sendUserMessage(
    content: string | ContentPart[],
    options: Parameters<HookConversation['sendUserMessage']>[1],
  ): Promise<void> {
    return this.of.inbox.sendFromHook(content, options);
  }

  sendCustomMessage(
    message: CustomMessageDraft,
    options: { triggerTurn: boolean; deliverAs?: HookDelivery; afterTurn?: boolean; busyUntil?: BusyUntil },
  ): Promise<void> {
    return this.of.inbox.sendCustom(message, options);
  }

  boundaryContext(
    at: 'turn_end' | 'agent_before_settle',
    entries: readonly unknown[],
  ): ReturnType<HookConversation['boundaryContext']> {
    return this.of.run.boundaries.context(at, entries);
  }

  /** Keeps a copy, as the file does: what the hook changes later is not in the entry. Throws for data that is not JSON. */
  appendEntry(customType: string, data: unknown): void {
    const { state, events } = this.of;
    const entry = state.store.getEntry(state.store.appendCustomEntry(customType, asStored(data)));
    if (entry !== undefined) events.fire({ type: 'entry_appended', entry });
  }

  saveEntry(entry: Readonly<Record<string, unknown>> & { readonly type: string }): Promise<void> {
    this.of.state.store.appendRaw(entry);
    return Promise.resolve();
  }

  rebuildContext(): Promise<void> {
    const { run, state } = this.of;
    if (!run.agent.isRunning) state.readContext();
    return Promise.resolve();
  }

  setSessionName(name: string): void {
    this.of.sessions.rename(name);
  }

  sessionName(): string | undefined {
    return this.of.state.store.getSessionName();
  }

  setLabel(entryId: string, label: string | undefined): void {
    this.of.state.store.appendLabelChange(entryId, label);
  }

  activeTools(): readonly string[] {
    return this.of.toolset.activeNames();
  }

  allTools(): readonly KnownTool[] {
    return this.of.toolset.all();
  }

  setActiveTools(names: readonly string[]): void {
    this.of.toolset.setActive(names);
  }

  commands(): readonly CommandInfo[] {
    const { ports, resources } = this.of;
    const ofHooks = ports.hooks.commands.list().map(({ name, description, hookPath, sourceInfo }): CommandInfo => ({
      name,
      ...(description === '' ? {} : { description }),
      source: 'extension',
      path: hookPath,
      sourceInfo,
    }));
    return [...ofHooks, ...resourceCommands(resources.current)];
  }

  compact(options: { customInstructions?: string }): Promise<CompactionResult> {
    return this.of.run.compact(options.customInstructions);
  }

  newSession(options: { parentSession?: string; setup?: (sessionManager: object) => unknown }): Promise<ForkOutcome> {
    return this.of.sessions.newSession(options);
  }

  fork(entryId: string, position: 'before' | 'at'): Promise<ForkOutcome> {
    return position === 'at' ? this.of.sessions.cloneUpTo(entryId) : this.of.sessions.fork(entryId);
  }

  navigateTree(targetId: string, options: NavigateOptions): Promise<ForkOutcome> {
    return this.of.tree.navigate(targetId, options);
  }

  switchSession(sessionFile: string): Promise<ForkOutcome> {
    return this.of.sessions.switchTo(sessionFile);
  }

  takeDenial(toolCallId: string): string | undefined {
    return this.of.questions.takeDenial(toolCallId);
  }

  async reload(): Promise<void> {
    const { ports, resources } = this.of;
    await ports.readAgain?.();
    await ports.hooks.reload({ freshAll: true });
    await resources.discover('reload', this);
  }
}

function asStored(data: unknown): unknown {
  const text = JSON.stringify(data) as string | undefined; // undefined for undefined and functions
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
