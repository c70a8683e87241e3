import type { OAuthCredentials } from '@mariozechner/pi-ai';
import { builtInLogins } from '../../../agent/models/keys/built-in-logins';
import type { OAuthProvider } from '../../../agent/models/keys/oauth-provider';

/** What `pi-ai/oauth` exported until 0.73, for hooks that renew tokens with their own code. */
export async function legacyOAuth(): Promise<Readonly<Record<string, unknown>>> {
  const builtIn = new Map<string, OAuthProvider>((await builtInLogins()).map(login => [login.id, login]));
  const providers = new Map(builtIn);
  const named = (id: string): OAuthProvider => {
    const provider = providers.get(id);
    if (provider === undefined) throw new Error(`Unknown OAuth provider: ${id}`);
    return provider;
  };
  return {
    anthropicOAuthProvider: builtIn.get('anthropic'),
    githubCopilotOAuthProvider: builtIn.get('github-copilot'),
    openaiCodexOAuthProvider: builtIn.get('openai-codex'),
    getOAuthProvider: (id: string) => providers.get(id),
    getOAuthProviders: () => [...providers.values()],
    getOAuthProviderInfoList: () => [...providers.values()].map(({ id, name }) => ({ id, name, available: true })),
    registerOAuthProvider: (provider: OAuthProvider) => void providers.set(provider.id, provider),
    unregisterOAuthProvider: (id: string) => {
      const own = builtIn.get(id);
      if (own === undefined) providers.delete(id);
      else providers.set(id, own);
    },
    resetOAuthProviders: () => {
      providers.clear();
      for (const [id, login] of builtIn) providers.set(id, login);
    },
    refreshOAuthToken: (id: string, credentials: OAuthCredentials) => named(id).refreshToken(credentials),
    getOAuthApiKey: (id: string, saved: Readonly<Record<string, OAuthCredentials>>) => apiKeyOf(named(id), saved[id]),
  };
}

async function apiKeyOf(
  provider: OAuthProvider,
  saved: OAuthCredentials | undefined,
): Promise<{ readonly newCredentials: OAuthCredentials; readonly apiKey: string } | null> {
  if (saved === undefined) return null;
  const newCredentials = Date.now() < saved.expires ? saved : await provider.refreshToken(saved);
  return { newCredentials, apiKey: provider.getApiKey(newCredentials) };
}
