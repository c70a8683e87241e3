import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import type { ApiKeySource } from '../../src/agent/models/keys/api-key-source';
import { demoModel } from '../../src/demo-model/demo-model';
import { ModelRegistry } from '../../src/agent/models/registry';
import { Emitter } from '../../src/base/event';

/** Keys the user typed, as SecretStorage would hold them. */
class TypedKeys implements ApiKeySource {
  readonly keys = new Map<string, string>();
  private readonly changeEmitter = new Emitter<string>();
  readonly onDidChange = this.changeEmitter.event;
  get = (provider: string): Promise<string | undefined> => Promise.resolve(this.keys.get(provider));
  set(provider: string, key: string): Promise<void> {
    this.keys.set(provider, key);
    this.changeEmitter.fire(provider);
    return Promise.resolve();
  }
}

/** A registry over an empty agent folder, in an environment without keys; another one for each test. */
export class RegistryRig {
  private constructor(
    readonly agentDir: string,
    readonly typed: TypedKeys,
    readonly registry: ModelRegistry,
    private readonly savedEnv: NodeJS.ProcessEnv,
  ) {}

  /** What `options.now` of the registry gives. */
  static readonly now = 1_000_000_000_000;

  static async open(): Promise<RegistryRig> {
    const savedEnv = { ...process.env };
    forgetVariables(name => /_API_KEY|_TOKEN|^AWS_|^GOOGLE_/.test(name));
    const agentDir = await mkdtemp(join(tmpdir(), 'hookline ägent-'));
    const typed = new TypedKeys();
    const registry = new ModelRegistry({ agentDir, embedded: demoModel(), keys: typed, now: () => RegistryRig.now });
    return new RegistryRig(agentDir, typed, registry, savedEnv);
  }

  async close(): Promise<void> {
    this.registry.dispose();
    forgetVariables(name => !(name in this.savedEnv));
    Object.assign(process.env, this.savedEnv);
    await rm(this.agentDir, { recursive: true, force: true });
  }

  /** Writes a file of the agent folder: a text as it is, all else as JSON. */
  write(name: string, content: unknown): Promise<void> {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    return writeFile(join(this.agentDir, name), text, { mode: 0o600 });
  }

  async readAuth(): Promise<unknown> {
    return JSON.parse(await readFile(join(this.agentDir, 'auth.json'), 'utf8'));
  }

  anyModel(provider: string): Model<Api> {
    return this.registry.getAll().find(model => model.provider === provider)!;
  }

  keyOf(provider: string): Promise<string | undefined> {
    return this.registry.getApiKeyForProvider(provider);
  }
}

function forgetVariables(isGone: (name: string) => boolean): void {
  for (const name of Object.keys(process.env).filter(isGone)) Reflect.deleteProperty(process.env, name);
}
