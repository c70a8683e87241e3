import { notOffered } from '../../hook-load/modules/not-offered';

/** Members of pi's `AgentSession` that are not here. */
const OF_SESSION = `abortBash abortBranchSummary abortRetry autoCompactionEnabled autoRetryEnabled cacheWarmingStatus
  createReplacedSessionContext cycleModel cycleThinkingLevel executeBash exportToHtml exportToJsonl followUpMode
  getCallableToolNames getToolDefinition hasPendingBashMessages isBashRunning modelRuntime navigateTree promptTemplates
  recordBashResult refreshContext reload resourceLoader retryAttempt routedModel scopedModels setAutoCompactionEnabled
  setAutoRetryEnabled setCacheWarmingMode setFollowUpMode setScopedModels setSteeringMode settingsManager steeringMode
  summarizeForBugReport`;

/** Missing members of its `agent`. */
const OF_AGENT = `afterToolCall beforeToolCall clearAllQueues clearFollowUpQueue clearSteeringQueue continue convertToLlm
  finishTurn followUp followUpMode getApiKey identity maxRetryDelayMs onPayload onProviderStreamEvent onResponse
  peekQueuedMessages prepareNextTurn prepareNextTurnWithContext prepareRequest prompt reset sessionId steer steeringMode
  streamFunction subscribe thinkingBudgets toolExecution transformContext transport`;

/** Missing members of its `extensionRunner`. */
const OF_RUNNER = `bindCommandContext bindCore createCommandContext createContext createToolContext emitBeforeAgentStart
  emitBeforeProviderHeaders emitBeforeProviderRequest emitBoundary emitCacheWarmingDecision emitContext emitError
  emitInput emitMessageEnd emitResourcesDiscover emitToolCall emitToolResult emitUserBash getActiveTools
  getAllRegisteredTools getCommand getCommandDiagnostics getEntryRenderer getExtensionPaths getFlagValues getFlags
  getMarkdownTransformers getMessageRenderer getModelRegistry getRegisteredCommands getShortcutDiagnostics getShortcuts
  getToolDefinition getUIContext hasUI invalidate onError reportUnhandledMcpServers resolveToolRenderers setFlagValue
  setUIContext shutdown`;

const MEMBERS = { AgentSession: OF_SESSION, 'AgentSession.agent': OF_AGENT, 'AgentSession.extensionRunner': OF_RUNNER };

/**
 * Gives an object the members of pi's that are not here, each a stand-in that throws and says so when it is used. None of
 * them can be set either: what a hook puts there would be believed to count.
 */
export function withMissingMembers<T extends object>(object: T, name: keyof typeof MEMBERS): T {
  for (const member of MEMBERS[name].trim().split(/\s+/)) {
    const value = notOffered('@mariozechner/pi-coding-agent', `${name}.${member}`);
    Object.defineProperty(object, member, { value, enumerable: false });
  }
  return object;
}
