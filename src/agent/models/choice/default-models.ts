import type { Api, Model } from '@mariozechner/pi-ai';

/** The default model of each provider, and the order in which providers are tried, as in pi (docs/models.md). */
const DEFAULT_MODELS: ReadonlyMap<string, string> = new Map([
  ['amazon-bedrock', 'us.anthropic.claude-opus-5-5'],
  ['ant-ling', 'Ring-2.6-1T'],
  ['anthropic', 'claude-opus-5-5'],
  ['openai', 'gpt-6.2-sol'],
  ['azure', 'gpt-6.2-sol'],
  ['openai-codex', 'gpt-6.2-sol'],
  ['radius', 'balanced'],
  ['nvidia', 'nvidia/nemotron-3.5-super-vl-120b-a12b'],
  ['deepseek', 'deepseek-v4-pro'],
  ['google', 'gemini-4-argon'],
  ['google-vertex', 'gemini-4-argon'],
  ['github-copilot', 'gpt-6.1-sol'],
  ['openrouter', 'moonshotai/kimi-k2.7-code'],
  ['vercel-ai-gateway', 'zai/glm-5.3'],
  ['xai', 'grok-4.7'],
  ['groq', 'openai/gpt-oss-120b'],
  ['cerebras', 'gpt-oss-120b'],
  ['zai', 'glm-5.3'],
  ['zai-coding-cn', 'glm-5.3'],
  ['mistral', 'devstral-medium-latest'],
  ['minimax', 'MiniMax-M3'],
  ['minimax-cn', 'MiniMax-M3'],
  ['moonshotai', 'kimi-k2.7-code'],
  ['moonshotai-cn', 'kimi-k2.7-code'],
  ['huggingface', 'moonshotai/Kimi-K2.7-Code'],
  ['fireworks', 'accounts/fireworks/models/kimi-k3'],
  ['together', 'moonshotai/Kimi-K3'],
  ['baseten', 'zai-org/GLM-5.3'],
  ['opencode', 'kimi-k2.7-code'],
  ['opencode-go', 'kimi-k3.1-pro'],
  ['kimi-coding', 'kimi-for-coding'],
  ['meta', 'muse-spark-1.3'],
  ['cloudflare-workers-ai', '@cf/moonshotai/kimi-k2.7-code'],
  ['cloudflare-ai-gateway', 'workers-ai/@cf/moonshotai/kimi-k2.7-code'],
  ['qwen-token-plan', 'qwen3.8-max'],
  ['qwen-token-plan-cn', 'qwen3.8-max'],
  ['qwen-token-plan-individual', 'qwen3.8-max'],
  ['qwen-token-plan-individual-cn', 'qwen3.8-max'],
  ['xiaomi', 'mimo-v2.6-pro'],
  ['xiaomi-token-plan-cn', 'mimo-v2.6-pro'],
  ['xiaomi-token-plan-ams', 'mimo-v2.6-pro'],
  ['xiaomi-token-plan-sgp', 'mimo-v2.6-pro'],
]);

/** Whether this is the default model of its provider. */
export function isProviderDefault({ provider, id }: Pick<Model<Api>, 'provider' | 'id'>): boolean {
  return DEFAULT_MODELS.get(provider) === id;
}

/** The models in the order in which they are tried if the user chose none. */
export function inOrderOfDefaults(models: readonly Model<Api>[]): readonly Model<Api>[] {
  const defaults = [...DEFAULT_MODELS.keys()].flatMap(name =>
    models.filter(model => model.provider === name && isProviderDefault(model)),
  );
  return [...defaults, ...models.filter(model => !isProviderDefault(model))];
}
