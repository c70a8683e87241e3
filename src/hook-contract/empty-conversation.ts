import { promptOptions } from '../agent/prompt/system-prompt';
import type { HookConversation } from './conversation-port';
import { noUi } from './ui/ui';

/** Facts for a conversation that does not exist. */
export interface EmptyConversationFacts {
  /** Absolute. */
  readonly cwd: string;
  /** The value of `ctx.sessionManager`: an empty session. */
  readonly sessionManager: object;
  readonly modelRegistry: object;
}

const nothing = (): void => undefined;
const done = (): Promise<void> => Promise.resolve();
const declined = () => Promise.resolve({ cancelled: true });

/** A conversation without messages, model and user interface, for trying hooks outside of one. It executes nothing. */
export function emptyConversation({ cwd, sessionManager, modelRegistry }: EmptyConversationFacts): HookConversation {
  return {
    id: 'replay',
    cwd,
    ui: noUi,
    mode: 'print',
    hasUI: false,
    sessionManager,
    modelRegistry,
    sessionFile: undefined,
    signal: undefined,
    model: nothing as () => undefined,
    setModel: () => Promise.resolve(false),
    thinkingLevel: () => 'off',
    scopedModels: () => [],
    setThinkingLevel: nothing,
    resolveApiKey: () => Promise.resolve(undefined),
    isIdle: () => true,
    abort: nothing,
    hasPendingMessages: () => false,
    waitForIdle: done,
    shutdown: nothing,
    contextUsage: () => undefined,
    systemPrompt: () => '',
    promptOptions: () => promptOptions({ cwd, tools: { active: [], all: [] }, contextFiles: [], skills: [] }),
    boundaryContext: () => ({
      contextEntries: [],
      contextMessages: [],
      llmMessages: [],
      pendingMessages: [],
      canContinue: false,
    }),
    sendUserMessage: done,
    sendCustomMessage: done,
    appendEntry: nothing,
    saveEntry: done,
    rebuildContext: done,
    setSessionName: nothing,
    sessionName: () => undefined,
    setLabel: nothing,
    activeTools: () => [],
    allTools: () => [],
    setActiveTools: nothing,
    commands: () => [],
    compact: () => Promise.resolve({ summary: '', firstKeptEntryId: '', tokensBefore: 0 }),
    newSession: declined,
    fork: declined,
    navigateTree: declined,
    switchSession: declined,
    reload: done,
  };
}
