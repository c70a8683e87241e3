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
  AssistantMessageFrameEncoder buildRequest clearApiProviders convertMessages createImagesModels createImagesProvider
  extractRetryDelay getGitHubCopilotBaseUrl loginAnthropic reduceAssistantMessageFrames
  loginAntigravity loginGeminiCli loginGitHubCopilot loginOpenAICodex normalizeDomain refreshAnthropicToken
  refreshAntigravityToken refreshGitHubCopilotToken refreshGoogleCloudToken refreshOpenAICodexToken
  streamGoogleGeminiCli streamSimpleGoogleGeminiCli
`);

/** What older versions of `providers/all` of pi-ai exported: the makers of images, which now are models like others. */
export const LEGACY_PROVIDER_NAMES: readonly string[] = words(`builtinImagesModels builtinImagesProviders`);

/** What older versions of pi-tui exported and newer ones do not. */
export const LEGACY_TUI_NAMES: readonly string[] = words(`parseOsc11BackgroundColor`);

/** What pi-ai exported for logins in general: first from its root, later from `pi-ai/oauth`. */
export const LEGACY_OAUTH_NAMES: readonly string[] = words(`
  anthropicOAuthProvider getOAuthApiKey getOAuthProvider getOAuthProviderInfoList getOAuthProviders
  githubCopilotOAuthProvider openaiCodexOAuthProvider refreshOAuthToken registerOAuthProvider resetOAuthProviders
  unregisterOAuthProvider
`);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
