import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

/**
 * Adds a provider: a server on this computer that speaks OpenAI's protocol, such as llama.cpp or vLLM. It is there under
 * `local/<model>` in the list of models. LOCAL_MODELS_URL names another address, LOCAL_MODELS_KEY a key if it wants one.
 */
export default function localProvider(pi: ExtensionAPI) {
  const { LOCAL_MODELS_URL: baseUrl = 'http://127.0.0.1:8080/v1', LOCAL_MODELS_KEY } = process.env;
  pi.registerProvider('local', {
    name: 'This computer',
    baseUrl,
    api: 'openai-completions',
    apiKey: LOCAL_MODELS_KEY === undefined ? 'not-needed' : '$LOCAL_MODELS_KEY',
    models: [
      {
        id: 'default',
        name: 'Local model',
        reasoning: false,
        input: ['text'],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        contextWindow: 32_768,
        maxTokens: 8_192,
      },
    ],
  });
}
