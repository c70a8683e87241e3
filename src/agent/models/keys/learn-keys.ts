import { join } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import { defined } from '../../../base/defined';
import {
  learnSecret,
  learnSecretHeaders,
  learnSecretsNamed,
  learnSecretsOfAddress,
  learnSecretVariables,
} from '../../../base/text/redact';
import { configuredKey, headersOfFile, knownHeaders, type ProviderSources } from '../configured-auth';
import { readModelsFile } from '../files/models-file';
import { AuthFile } from './auth-file';
import { ConfigValues, type ConfigValue } from './config-value';

/** The places of keys that can be read without running a command or asking the user. */
export interface ConfiguredKeys {
  readonly models: readonly Pick<Model<Api>, 'provider' | 'baseUrl' | 'headers'>[];
  readonly sources: ProviderSources;
  readonly auth: AuthFile;
  readonly values: ConfigValues;
  /** pi-ai's reading of the environment. */
  readonly environment: (provider: string) => string | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Remembers the keys in files and in the environment, also those in addresses and headers, so that no text shows one
 * even before its first use. Keys that a user typed and keys that commands print are remembered when they are used.
 */
export function learnConfiguredKeys({ models, sources, auth, values, environment, env }: ConfiguredKeys): void {
  const learn = (value: ConfigValue | undefined): void => {
    if (value !== undefined) learnSecret(values.resolveNow(value));
  };
  for (const value of auth.keys()) learn(value);
  for (const name of auth.list()) {
    const entry = auth.get(name);
    if (entry?.type !== 'oauth') continue;
    learnSecret(entry.access);
    learnSecret(entry.refresh);
  }
  for (const provider of new Set(models.map(model => model.provider))) {
    learn(configuredKey(provider, sources));
    learnSecret(environment(provider));
  }
  for (const { baseUrl, headers } of models) {
    learnSecretsOfAddress(baseUrl);
    if (headers !== undefined) learnSecretsNamed(headers);
  }
  for (const headers of headersOfFile(sources)) learnSecretHeaders(knownHeaders(headers, values) ?? {});
  learnSecretVariables(env);
}

/** {@link learnConfiguredKeys} for callers without models: for the files in the agent folder, and for variables. */
export async function learnKeysOfFiles(agentDir: string, env: NodeJS.ProcessEnv): Promise<void> {
  const path = join(agentDir, 'models.json');
  const auth = new AuthFile(join(agentDir, 'auth.json'));
  const [{ providers }] = await Promise.all([readModelsFile(path), auth.load()]);
  const models = [...providers].map(
    ([
      provider,
      {
        settings: { baseUrl = '', headers },
      },
    ]) => ({
      provider,
      baseUrl,
      ...defined({ headers }),
    }),
  );
  learnConfiguredKeys({
    models,
    sources: { file: providers, path, registered: [] },
    auth,
    values: new ConfigValues(env),
    environment: () => undefined,
    env,
  });
}
