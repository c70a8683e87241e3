import { join } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import { defined } from '../../../base/defined';
import type { Log } from '../../../base/log';
import { configuredKey, valuesOfFile, type ProviderSources } from '../configured-auth';
import type { PiAi } from '../pi-ai-module';
import type { ApiKeySource } from './api-key-source';
import { AuthFile } from './auth-file';
import { ConfigValues } from './config-value';
import { KeyRing } from './key-ring';
import { learnConfiguredKeys } from './learn-keys';
import { allKeyVariables, type KeyAdvice } from './missing-key';
import { OAuthLogins } from './oauth';

/** What {@link Credentials} are read from. */
export interface CredentialsParts {
  /** Absolute; holds auth.json. */
  readonly agentDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Keys the user typed in. */
  readonly typed: ApiKeySource;
  readonly sources: () => ProviderSources;
  /** Undefined until it is loaded; only pi-ai reads keys from the environment. */
  readonly piAi: () => PiAi | undefined;
  readonly advice: KeyAdvice;
  readonly log: Log;
  /** In ms since 1970. */
  readonly now?: (() => number) | undefined;
}

/** Every key and login that is known here: those of auth.json, models.json, the environment, and typed ones. */
export class Credentials {
  readonly auth: AuthFile;
  readonly values: ConfigValues;
  readonly logins: OAuthLogins;
  readonly keyRing: KeyRing;

  constructor(private readonly parts: CredentialsParts) {
    const { agentDir, env, typed, advice, now } = parts;
    this.auth = new AuthFile(join(agentDir, 'auth.json'));
    this.values = new ConfigValues(env);
    this.logins = new OAuthLogins(this.auth, { advice, ...defined({ now }) });
    this.keyRing = new KeyRing({
      typed,
      auth: this.auth,
      logins: this.logins,
      configured: provider => configuredKey(provider, parts.sources()),
      environment: provider => this.environmentKey(provider),
      values: this.values,
    });
  }

  /** The variables that a provider's addresses and keys may name. */
  envOf(provider: string): NodeJS.ProcessEnv {
    return { ...this.parts.env, ...this.auth.env(provider) };
  }

  /** The environment variables that hold keys: those that pi-ai reads, and those that models.json names. */
  keyVariables(): readonly string[] {
    const named = valuesOfFile(this.parts.sources()).flatMap(value => this.values.variables(value));
    return [...allKeyVariables(), ...named];
  }

  /** See {@link learnConfiguredKeys}. */
  learn(models: readonly Model<Api>[]): void {
    const { auth, values } = this;
    const { sources, env } = this.parts;
    const environment = (provider: string): string | undefined => this.environmentKey(provider);
    learnConfiguredKeys({ models, sources: sources(), auth, values, environment, env });
  }

  /** Asks again which providers of these models have a typed key. Never rejects: keys are found without it when they are asked for. */
  async noteTyped(models: readonly Model<Api>[]): Promise<void> {
    try {
      await this.keyRing.noteTyped([...new Set(models.map(({ provider }) => provider))]);
    } catch (error) {
      this.parts.log.error('The list of saved API keys could not be read.', error);
    }
  }

  private environmentKey(provider: string): string | undefined {
    return this.parts.piAi()?.getEnvApiKey(provider, this.auth.env(provider));
  }
}
