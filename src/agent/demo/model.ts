import type { Model } from '@mariozechner/pi-ai';

export const DEMO_API = 'hookline-demo';
export const DEMO_PROVIDER = 'demo';

/** The embedded model that works without network and key; its name shows that it is a demo. */
export const DEMO_MODEL: Model<typeof DEMO_API> = {
  provider: DEMO_PROVIDER,
  id: 'offline',
  name: 'Demo (offline)',
  api: DEMO_API,
  baseUrl: '',
  reasoning: true,
  input: ['text', 'image'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 32_000,
};
