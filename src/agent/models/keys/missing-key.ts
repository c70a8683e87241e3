/** How people set keys and logins here, as a part of a text. It begins with a verb. */
export interface KeyAdvice {
  readonly setKey: string;
  readonly logIn: string;
}

/** In VS Code: the commands in the palette. */
export const EDITOR_ADVICE: KeyAdvice = { setKey: 'run "Hookline: Set API Key…"', logIn: 'run "Hookline: Log In…"' };

/** On the command line. Logins of pi, and of Hookline in VS Code, are in the same file and count, too. */
export const COMMAND_LINE_ADVICE: KeyAdvice = {
  setKey: 'pass --api-key',
  logIn: 'run "hookline --login" in a terminal',
};

/**
 * `type` of the diagnostic on an assistant message that failed because a key is missing. `details.provider` names the provider.
 */
export const MISSING_KEY_DIAGNOSTIC = 'missing_key';

/** No key is known for the provider of the chosen model. The message says how to set one. */
export class MissingKeyError extends Error {
  override readonly name = 'MissingKeyError';
  constructor(
    readonly provider: string,
    /** Environment variables that would be read, in order; empty when there is none for this provider. */
    readonly variables: readonly string[],
    advice: KeyAdvice,
  ) {
    super(`No API key for provider "${provider}". To set one, ${waysToSetKey(provider, advice)}.`);
  }
}

/** What can be done to give a provider a key: `run …, set … in the environment or add … to auth.json`. */
export function waysToSetKey(provider: string, { setKey }: KeyAdvice): string {
  const variables = keyVariables(provider);
  const ways = [setKey, ...(variables.length > 0 ? [`set ${variables.join(' or ')} in the environment`] : [])];
  return `${ways.join(', ')} or add "${provider}" to auth.json in the agent folder`;
}

// pi-ai tells only which variables are set, and not which it would read. These are the names in its module env-api-keys.
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  'amazon-bedrock': ['AWS_PROFILE', 'AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY'],
  'ant-ling': ['ANT_LING_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_OAUTH_TOKEN'],
  azure: ['AZURE_OPENAI_API_KEY'],
  baseten: ['BASETEN_API_KEY'],
  cerebras: ['CEREBRAS_API_KEY'],
  'cloudflare-ai-gateway': ['CLOUDFLARE_API_KEY'],
  'cloudflare-workers-ai': ['CLOUDFLARE_API_KEY'],
  deepseek: ['DEEPSEEK_API_KEY'],
  fireworks: ['FIREWORKS_API_KEY'],
  'github-copilot': ['COPILOT_GITHUB_TOKEN'],
  google: ['GEMINI_API_KEY'],
  'google-vertex': ['GOOGLE_CLOUD_API_KEY'],
  groq: ['GROQ_API_KEY'],
  huggingface: ['HF_TOKEN'],
  'kimi-coding': ['KIMI_API_KEY'],
  meta: ['META_API_KEY'],
  minimax: ['MINIMAX_API_KEY'],
  'minimax-cn': ['MINIMAX_CN_API_KEY'],
  mistral: ['MISTRAL_API_KEY'],
  moonshotai: ['MOONSHOT_API_KEY'],
  'moonshotai-cn': ['MOONSHOT_API_KEY'],
  nvidia: ['NVIDIA_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  opencode: ['OPENCODE_API_KEY'],
  'opencode-go': ['OPENCODE_API_KEY'],
  openrouter: ['OPENROUTER_API_KEY'],
  'qwen-token-plan': ['QWEN_TOKEN_PLAN_TEAM_API_KEY', 'QWEN_TOKEN_PLAN_API_KEY'],
  'qwen-token-plan-cn': ['QWEN_TOKEN_PLAN_TEAM_CN_API_KEY', 'QWEN_TOKEN_PLAN_CN_API_KEY'],
  'qwen-token-plan-individual': ['QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY', 'QWEN_TOKEN_PLAN_API_KEY'],
  'qwen-token-plan-individual-cn': ['QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY', 'QWEN_TOKEN_PLAN_CN_API_KEY'],
  radius: ['RADIUS_API_KEY'],
  together: ['TOGETHER_API_KEY'],
  typesafe: ['TYPESAFE_API_KEY'],
  'vercel-ai-gateway': ['AI_GATEWAY_API_KEY'],
  xai: ['XAI_API_KEY'],
  xiaomi: ['XIAOMI_API_KEY'],
  'xiaomi-token-plan-ams': ['XIAOMI_TOKEN_PLAN_AMS_API_KEY'],
  'xiaomi-token-plan-cn': ['XIAOMI_TOKEN_PLAN_CN_API_KEY'],
  'xiaomi-token-plan-sgp': ['XIAOMI_TOKEN_PLAN_SGP_API_KEY'],
  zai: ['ZAI_API_KEY'],
  'zai-coding-cn': ['ZAI_CODING_CN_API_KEY'],
};

/** No key of a model is read from these, but their content can pay for a model. */
const ALSO_KEYS = ['AWS_SESSION_TOKEN', 'ANTHROPIC_AUTH_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'];

/** The environment variables that hold keys of any provider. */
export function allKeyVariables(): readonly string[] {
  const named = Object.values(VARIABLES).flatMap(names => names.flatMap(name => name.split(' with ')));
  return [...new Set([...named, ...ALSO_KEYS])].filter(name => name !== 'AWS_PROFILE');
}

/** Environment variables that pi-ai reads for a provider; empty for providers it has no variable for. */
export function keyVariables(provider: string): readonly string[] {
  return VARIABLES[provider] ?? [];
}
