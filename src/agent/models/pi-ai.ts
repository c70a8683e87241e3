import type * as providersModule from '@mariozechner/pi-ai/providers/all';
import type { PiAi } from './pi-ai-module';

export type { PiAi } from './pi-ai-module';

let loading: Promise<PiAi> | undefined;

/**
 * Loads pi-ai once (about 0.5 MB with its model list, so never during activation). A failed load is not remembered.
 */
export function loadPiAi(): Promise<PiAi> {
  loading ??= Promise.all([import('@mariozechner/pi-ai/compat'), showLateParts()]).then(
    ([piAi]) => piAi,
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** Releases what clients keep for a session, such as open connections. Does nothing before pi-ai is loaded. Never rejects. */
export async function releaseSession(sessionId: string): Promise<void> {
  try {
    (await loading)?.cleanupSessionResources(sessionId);
  } catch {
    // The session ends in any case; what could not be closed ends with the process.
  }
}

/** Loads pi-ai's own list of providers and their logins. */
export async function loadProviders(): Promise<typeof providersModule> {
  const [providers] = await Promise.all([import('@mariozechner/pi-ai/providers/all'), showLateParts()]);
  return providers;
}

/** pi-ai loads the client of Bedrock and each login when they are used, by imports that only these make visible to a bundler. */
async function showLateParts(): Promise<void> {
  const [{ registerLazyBedrockProvider }, { registerLazyOAuthFlows }] = await Promise.all([
    import('@mariozechner/pi-ai/lazy-bedrock-provider'),
    import('@mariozechner/pi-ai/lazy-oauth'),
  ]);
  registerLazyBedrockProvider();
  registerLazyOAuthFlows();
}
