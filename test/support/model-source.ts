import type { Api, Model } from '@mariozechner/pi-ai';
import { EDITOR_ADVICE } from '../../src/agent/models/keys/missing-key';
import { Emitter } from '../../src/base/event';
import type { ModelSource } from '../../src/session/ports/ports';

/** Models to choose from, all with a key, without a registry: no provider is asked, and nobody can log in. */
export function modelSource(models: readonly Model<Api>[]): ModelSource {
  return {
    find: (provider, id) => models.find(model => model.provider === provider && model.id === id),
    getAll: () => models,
    getAvailable: () => models,
    getApiKey: () => Promise.resolve('key'),
    hasKey: () => Promise.resolve(true),
    route: ({ id }) => Promise.reject(new Error(`Model ${id} leads to no other model.`)),
    getProviderDisplayName: provider => provider,
    keyAdvice: EDITOR_ADVICE,
    authStorage: { getOAuthProviders: () => [], list: () => [], get: () => undefined },
    addUnlisted: () => undefined,
    askOffered: () => Promise.resolve({ all: 0, added: 0 }),
    updateCatalog: () => Promise.resolve(),
    listedAt: undefined,
    listedFrom: () => undefined,
    onDidChange: new Emitter<undefined>().event,
  };
}
