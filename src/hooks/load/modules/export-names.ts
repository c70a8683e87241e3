/** Names that `pi-coding-agent` exported between 0.27 and 1.5 and that only its own program can use. */
export const SDK_NAMES: readonly string[] = words(`
  AgentSession AgentSessionRuntime appKey appKeyHint ArminComponent AuthStorage BashExecutionComponent
  BranchSummaryMessageComponent buildSystemPrompt CompactionSummaryMessageComponent configureOAuthStorage
  createAgentSessionFromServices createAgentSessionRuntime createAgentSessionServices
  createCodemodeExtension createMcpExtension createSummaryMessage createToolSearchExtension
  CredentialSynchronizationError defaultGetApiKey DefaultPackageManager
  discoverAndLoadCustomTools discoverAndLoadExtensions discoverAuthStorage discoverAvailableModels
  discoverContextFiles discoverCustomTools discoverHooks discoverModels discoverSkills discoverSlashCommands
  editorKey ExtensionEditorComponent ExtensionInputComponent ExtensionRunner ExtensionSelectorComponent
  FileAuthStorageBackend findModel findModelByProviderAndId FooterComponent getApiKeyForModel getAvailableModels
  getOAuthProviders InMemoryAuthStorageBackend InteractiveMode loadCustomTools loadSettings
  login LoginDialogComponent logout main ModelRegistry ModelSelectorComponent OAuthSelectorComponent RpcClient
  runPrintMode runRpcMode SessionSelectorComponent SettingsSelectorComponent ShowImagesSelectorComponent
  SkillInvocationMessageComponent ThemeSelectorComponent ThinkingSelectorComponent TreeSelectorComponent
  UserMessageSelectorComponent wrapRegisteredTool wrapRegisteredTools wrapToolsWithExtensions wrapToolWithExtensions
`);

/** Tools that pi exports ready-made, bound to the working directory of its process. */
export const BOUND_TOOL_NAMES: readonly string[] = words(`
  allBuiltInTools bashTool codingTools editTool findTool grepTool lsTool readOnlyTools readTool writeTool
`);

/** What pi-agent-core exports for programs that run an agent of their own; hooks import only types from it. */
export const AGENT_CORE_NAMES: readonly string[] = words(`
  Agent DEFAULT_AGENT_IDENTITY runToolCall setDefaultStreamFn agentLoop agentLoopContinue runAgentLoop runAgentLoopContinue streamProxy
`);

/** What older versions of pi-ai exported and newer ones do not, including the steps of single logins. */
export const LEGACY_AI_NAMES: readonly string[] = words(`
  buildRequest clearApiProviders convertMessages extractRetryDelay getGitHubCopilotBaseUrl loginAnthropic
  loginAntigravity loginGeminiCli loginGitHubCopilot loginOpenAICodex normalizeDomain refreshAnthropicToken
  refreshAntigravityToken refreshGitHubCopilotToken refreshGoogleCloudToken refreshOpenAICodexToken
  streamGoogleGeminiCli streamSimpleGoogleGeminiCli
`);

/** What pi-ai 1.6.0 exports and the shipped version does not: internals of its clients. */
export const NEWER_AI_NAMES: readonly string[] = words(`
  AI_TELEMETRY_SCHEMA ANTHROPIC_FEDERATION_RULE_ID_ENV ANTHROPIC_IDENTITY_TOKEN_FILE_ENV ANTHROPIC_ORGANIZATION_ID_ENV
  ANTHROPIC_SERVICE_ACCOUNT_ID_ENV ANTHROPIC_WORKSPACE_ID_ENV CACHE_WARMING_IDLE_CONTINUATION_PROBABILITY
  CACHE_WARMING_MAX_AGE_MS CACHE_WARMING_MAX_IDLE_AGE_MS CACHE_WARMING_MINIMUM_EXPECTED_SAVINGS PI_AI_VERSION
  PI_ATTRIBUTION StreamingJsonParser ToolCallArgumentsStream evaluateCacheWarming formatUserAgent getAttributionHeaders
  getCacheWarmingDelayMs getCacheWarmingRequestOptions getClientVersion getIdentityHeaders getOpenCodeSessionHeaders
  getPromptCacheTtlMs isCacheWarmingReplayable mergeClientIdentity parseToolCallArguments setBedrockProviderLoader
  withClientIdentity
`);

/** What `providers/all` of pi-ai 1.6.0 exports and the shipped version does not: models that are not chat models. */
export const NEWER_PROVIDER_NAMES: readonly string[] = words(`
  getAllBuiltinModels getBuiltinClassifierModel getBuiltinClassifierModels getBuiltinImageModel getBuiltinImageModels
`);

/** What pi-ai exported for logins in general: first from its root, later from `pi-ai/oauth`. */
export const LEGACY_OAUTH_NAMES: readonly string[] = words(`
  anthropicOAuthProvider getOAuthApiKey getOAuthProvider getOAuthProviderInfoList getOAuthProviders
  githubCopilotOAuthProvider openaiCodexOAuthProvider refreshOAuthToken registerOAuthProvider resetOAuthProviders
  unregisterOAuthProvider
`);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
