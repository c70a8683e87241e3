import type { ScriptedLlm } from '../../support/scripted-llm';

/** Files of a home folder whose default model is the scripted one; `input` is what it takes. */
export function scriptedHome(llm: ScriptedLlm, input: readonly string[] = ['text']): Readonly<Record<string, string>> {
  const model = { id: 'scripted', name: 'Scripted', contextWindow: 100_000, maxTokens: 1000, input };
  const baseUrl = llm.model('anthropic-messages').baseUrl;
  const provider = { baseUrl, apiKey: 'literal-key', api: 'anthropic-messages', models: [model] };
  return {
    '.pi/agent/models.json': JSON.stringify({ providers: { scripted: provider } }),
    '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'scripted', defaultModel: 'scripted' }),
  };
}
