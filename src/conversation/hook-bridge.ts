import type { Api, Model } from '@mariozechner/pi-ai';
import type { ContentPart } from '../agent/messages';
import type { AnyTool } from '../agent/tools/tool';
import type {
  CommandInfo,
  ContextUsage,
  ForkOutcome,
  HookConversation,
  HookDelivery,
} from '../hooks/conversation-port';
import type { CompactionResult, CustomMessageDraft } from '../hooks/events/hook-event';
import type { HookUIContext } from '../hooks/api/ui/ui';
import type { Conversation } from './conversation';

/** A conversation as hooks may use it: every call goes on to the conversation, whatever session it holds by then. */
export class HookBridge implements HookConversation {
  constructor(
    private readonly conversation: Conversation,
    readonly id: string,
    readonly cwd: string,
    readonly modelRegistry: object,
  ) {}

  get hasUI(): boolean {
    return this.conversation.hasUI;
  }

  get ui(): HookUIContext {
    return this.conversation.hookUi;
  }

  get sessionManager(): object {
    return this.conversation.store;
  }

  get sessionFile(): string | undefined {
    return this.conversation.store.getSessionFile();
  }

  get signal(): AbortSignal | undefined {
    return this.conversation.signal;
  }

  model(): Model<Api> | undefined {
    return this.conversation.model;
  }

  setModel(model: Model<Api>): Promise<boolean> {
    return this.conversation.setModel(model);
  }

  thinkingLevel(): string {
    return this.conversation.thinkingLevel;
  }

  setThinkingLevel(level: string): void {
    this.conversation.setThinkingLevel(level);
  }

  resolveApiKey(model: Model<Api>): Promise<string | undefined> {
    return this.conversation.resolveApiKey(model);
  }

  isIdle(): boolean {
    return this.conversation.isIdle;
  }

  abort(): void {
    this.conversation.abortRun();
  }

  hasPendingMessages(): boolean {
    return this.conversation.hasPendingMessages;
  }

  waitForIdle(): Promise<void> {
    return this.conversation.waitForIdle();
  }

  shutdown(): void {
    this.conversation.requestShutdown();
  }

  contextUsage(): ContextUsage | undefined {
    return this.conversation.contextUsage;
  }

  systemPrompt(): string {
    return this.conversation.systemPrompt;
  }

  sendUserMessage(
    content: string | ContentPart[],
    options: { deliverAs?: 'steer' | 'followUp'; queueWhenStreaming: boolean },
  ): Promise<void> {
    return this.conversation.sendFromHook(content, options);
  }

  sendCustomMessage(
    message: CustomMessageDraft,
    options: { triggerTurn: boolean; deliverAs?: HookDelivery },
  ): Promise<void> {
    return this.conversation.sendCustom(message, options);
  }

  /** Keeps a copy, as the file does: what the hook changes later is not in the entry. Throws for data that is no JSON. */
  appendEntry(customType: string, data: unknown): void {
    this.conversation.store.appendCustomEntry(customType, asStored(data));
  }

  saveEntry(entry: Readonly<Record<string, unknown>> & { readonly type: string }): Promise<void> {
    this.conversation.store.appendRaw(entry);
    return Promise.resolve();
  }

  rebuildContext(): Promise<void> {
    return this.conversation.rebuildContext();
  }

  setSessionName(name: string): void {
    this.conversation.rename(name);
  }

  sessionName(): string | undefined {
    return this.conversation.store.getSessionName();
  }

  setLabel(entryId: string, label: string | undefined): void {
    this.conversation.store.appendLabelChange(entryId, label);
  }

  activeTools(): readonly string[] {
    return this.conversation.toolset.activeNames();
  }

  allTools(): readonly AnyTool[] {
    return this.conversation.toolset.all();
  }

  setActiveTools(names: readonly string[]): void {
    this.conversation.toolset.setActive(names);
  }

  commands(): readonly CommandInfo[] {
    return this.conversation.hookCommands;
  }

  compact(options: { customInstructions?: string }): Promise<CompactionResult> {
    return this.conversation.compact(options.customInstructions);
  }

  newSession(options: { parentSession?: string; setup?: (sessionManager: object) => unknown }): Promise<ForkOutcome> {
    return this.conversation.sessions.newSession(options);
  }

  fork(entryId: string): Promise<ForkOutcome> {
    return this.conversation.sessions.fork(entryId);
  }

  navigateTree(
    targetId: string,
    options: { summarize?: boolean; customInstructions?: string; replaceInstructions?: boolean; label?: string },
  ): Promise<ForkOutcome> {
    return this.conversation.tree.navigate(targetId, options);
  }

  switchSession(sessionFile: string): Promise<ForkOutcome> {
    return this.conversation.sessions.switchTo(sessionFile);
  }

  takeDenial(toolCallId: string): string | undefined {
    return this.conversation.ui.denials.take(toolCallId);
  }

  reload(): Promise<void> {
    return this.conversation.reloadHooks();
  }
}

function asStored(data: unknown): unknown {
  const text = JSON.stringify(data) as string | undefined; // undefined for undefined and functions
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}
