/** Names that `pi-coding-agent` exported between 0.27 and 1.5 and that only its own program can use. */
export const SDK_NAMES: readonly string[] = words(`
  CredentialSynchronizationError ModelRuntime ProjectTrustStore VIRTUAL_MODEL_STATE_ENTRY buildContextEntries
  buildSessionProjection convertToPng createCodemodeExtension createMcpExtension createToolSearchExtension
  detectSupportedImageMimeTypeFromFile formatDimensionNote generateDiffString generateSummaryWithUsage
  generateUnifiedPatch getDocsPath getExamplesPath getPackageDir getPowerShellConfig getReadmePath
  hasTrustRequiringProjectResources parseArgs readStoredCredential resizeImage resolveCliModel
  resolveModelScopeWithDiagnostics sessionEntryToContextMessages
  AgentSession AgentSessionRuntime ArminComponent AuthStorage BashExecutionComponent BranchSummaryMessageComponent
  CompactionSummaryMessageComponent DefaultPackageManager DefaultResourceLoader ExtensionEditorComponent
  ExtensionInputComponent ExtensionRunner ExtensionSelectorComponent FileAuthStorageBackend FooterComponent
  InMemoryAuthStorageBackend InteractiveMode LoginDialogComponent ModelRegistry ModelSelectorComponent
  OAuthSelectorComponent RpcClient SessionManager SessionSelectorComponent SettingsManager SettingsSelectorComponent
  ShowImagesSelectorComponent SkillInvocationMessageComponent Theme ThemeSelectorComponent ThinkingSelectorComponent
  TreeSelectorComponent UserMessageSelectorComponent appKey appKeyHint buildSessionContext buildSystemPrompt
  collectEntriesForBranchSummary compact configureOAuthStorage copyToClipboard createAgentSession
  createAgentSessionFromServices createAgentSessionRuntime createAgentSessionServices createExtensionRuntime
  createSummaryMessage createSyntheticSourceInfo defaultGetApiKey discoverAndLoadCustomTools
  discoverAndLoadExtensions discoverAuthStorage discoverAvailableModels discoverContextFiles discoverCustomTools
  discoverHooks discoverModels discoverSkills discoverSlashCommands editorKey findModel findModelByProviderAndId
  findTurnStartIndex formatSkillsForPrompt generateBranchSummary generateSummary getApiKeyForModel getAvailableModels
  getLastAssistantUsage getLatestCompactionEntry getOAuthProviders getShellConfig initTheme   loadCustomTools loadProjectContextFiles loadSettings loadSkills loadSkillsFromDir login logout main
  migrateSessionEntries parseSessionEntries parseSkillBlock prepareBranchEntries renderDiff runPrintMode
  runRpcMode truncateToVisualLines wrapRegisteredTool wrapRegisteredTools wrapToolWithExtensions wrapToolsWithExtensions
`);

/** Tools bound to the working directory of pi's process. */
export const BOUND_TOOL_NAMES: readonly string[] = words(`
  bashTool codingTools editTool findTool grepTool lsTool readOnlyTools readTool writeTool
`);

/** What pi-agent-core exports; hooks import its types. */
export const AGENT_CORE_NAMES: readonly string[] = words(`
  Agent agentLoop agentLoopContinue runAgentLoop runAgentLoopContinue streamProxy
`);

/** What pi-ai exported once and does not any more, the steps of single logins among it. */
export const FORMER_AI_NAMES: readonly string[] = words(`
  buildRequest clearApiProviders convertMessages extractRetryDelay getGitHubCopilotBaseUrl loginAnthropic
  loginAntigravity loginGeminiCli loginGitHubCopilot loginOpenAICodex normalizeDomain refreshAnthropicToken
  refreshAntigravityToken refreshGitHubCopilotToken refreshGoogleCloudToken refreshOpenAICodexToken
  streamGoogleGeminiCli streamSimpleGoogleGeminiCli
`);

/** What pi-ai exported about logins in general, at its root first and from `pi-ai/oauth` later. */
export const FORMER_AI_OAUTH_NAMES: readonly string[] = words(`
  anthropicOAuthProvider getOAuthApiKey getOAuthProvider getOAuthProviderInfoList getOAuthProviders
  githubCopilotOAuthProvider openaiCodexOAuthProvider refreshOAuthToken registerOAuthProvider resetOAuthProviders
  unregisterOAuthProvider
`);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
