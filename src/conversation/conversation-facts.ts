import { basename } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import { estimateContext } from '../agent/compaction/tokens';
import type { AgentMessage } from '../agent/messages';
import type { SessionStore } from '../agent/session/store';
import type { CommandInfo, ContextUsage } from '../hooks/conversation-port';
import type { RunStatus } from '../protocol/messages';
import type { ChatModel } from './cards/chat-model';
import type { ComposerDesk } from './composer/composer-desk';
import type { ConversationParts } from './conversation-parts';
import { resourceCommands, resourceCompletions } from './run/expand-prompt';
import type { ConversationUi } from './questions/hook-ui';
import type { PatienceParts } from './patience';
import type { ConversationPorts } from './ports';
import type { SessionFlow } from './session/session-flow';
import { textsOf } from './session/session-facts';
import { openingWords } from './session/session-title';
import { listCommands } from './run/slash-commands';
import { isContextEstimated } from './session/spending';
import { statusOf } from './status';
import type { Toolset } from './run/toolset';
import type { TreeFlow } from './session/tree-flow';

/** What can be read of a conversation as it is now. */
export abstract class ConversationFacts {
  protected abstract readonly parts: ConversationParts;

  protected constructor(
    readonly id: string,
    protected readonly ports: ConversationPorts,
  ) {}

  /** Stays the same for a session as long as it lives, over ends of the process where it has a file. */
  get sessionKey(): string {
    const file = this.store.getSessionFile();
    return file === undefined ? this.store.getSessionId() : basename(file);
  }

  /** Name of the session, or how its first message begins; empty for a new one. */
  get title(): string {
    const name = this.store.getSessionName() ?? '';
    return name === '' ? openingWords(this.chat.inOrder()) : name;
  }

  get chat(): ChatModel {
    return this.parts.chat;
  }

  get ui(): ConversationUi {
    return this.parts.ui;
  }

  /** For steps that must come to their end whatever hooks do. */
  get patience(): PatienceParts {
    return this.parts.patience;
  }

  get toolset(): Toolset {
    return this.parts.toolset;
  }

  get sessions(): SessionFlow {
    return this.parts.sessions;
  }

  /** What the composer asks for. */
  get desk(): ComposerDesk {
    return this.parts.desk;
  }

  get tree(): TreeFlow {
    return this.parts.tree;
  }

  /** Folder that is worked in, absolute. */
  get cwd(): string {
    return this.ports.cwd;
  }

  /** Going elsewhere in the tree asks for no summary (`branchSummary.skipPrompt` of pi's settings). */
  get skipsSummaryQuestion(): boolean {
    return this.ports.settings.current.branchSummary.skipPrompt;
  }

  get hasUI(): boolean {
    return this.ports.hasUI;
  }

  get store(): SessionStore {
    return this.parts.state.store;
  }

  get signal(): AbortSignal | undefined {
    return this.parts.control.signal;
  }

  get model(): Model<Api> | undefined {
    return this.parts.state.model;
  }

  get thinkingLevel(): string {
    return this.parts.state.effectiveLevel;
  }

  get isIdle(): boolean {
    return this.parts.control.isIdle;
  }

  get hasPendingMessages(): boolean {
    return this.parts.inbox.hasPendingMessages;
  }

  /** Texts that wait for the agent, as the user wrote them. */
  get queued(): { readonly steering: readonly string[]; readonly followUp: readonly string[] } {
    const { steering, followUps } = this.parts.control.agent;
    return { steering: textsOf(steering.messages), followUp: textsOf(followUps.messages) };
  }

  get messages(): readonly AgentMessage[] {
    return this.parts.control.agent.messages;
  }

  get systemPrompt(): string {
    return this.parts.state.runPrompt ?? this.ports.systemPrompt(this.toolset.chosen());
  }

  get commands(): ReturnType<typeof listCommands> {
    const others = listCommands(this.ports.hooks.commands.list());
    const { enableSkillCommands } = this.ports.settings.current;
    return [...others, ...resourceCompletions(this.parts.resources.current, others, enableSkillCommands)];
  }

  get hookCommands(): readonly CommandInfo[] {
    const ofHooks = this.ports.hooks.commands.list().map(({ name, description, hookPath }): CommandInfo => ({
      name,
      description,
      source: 'extension',
      path: hookPath,
    }));
    return [...ofHooks, ...resourceCommands(this.parts.resources.current)];
  }

  get contextUsage(): ContextUsage | undefined {
    const { model } = this.parts.state;
    if (model === undefined) return undefined;
    const tokens = this.parts.compaction.isFresh ? null : estimateContext(this.messages).tokens;
    const contextWindow = model.contextWindow;
    return { tokens, contextWindow, percent: tokens === null ? null : (tokens / contextWindow) * 100 };
  }

  get phase(): RunStatus['phase'] {
    return this.parts.control.phase;
  }

  get status(): RunStatus {
    const { control, state, ui } = this.parts;
    return statusOf(this.ports, {
      phase: control.phase,
      title: this.title,
      state,
      usage: this.contextUsage,
      estimated: isContextEstimated(this.messages),
      spending: state.spending.current,
      hookStatus: ui.statusTexts,
    });
  }
}
