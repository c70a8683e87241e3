import { knownProvider, namesOfProvider } from '../../agent/models/keys/provider-names';
import type * as vscode from 'vscode';
import type { ApiKeySource } from '../../agent/models/keys/api-key-source';
import { Emitter } from '../../base/event';

const PREFIX = 'hookline.apiKey.';

/** API keys that the user typed, stored in VS Code's encrypted `SecretStorage` and shared by all windows. */
export class SecretKeys implements ApiKeySource, vscode.Disposable {
  private readonly changeEmitter = new Emitter<string>();
  readonly onDidChange = this.changeEmitter.event;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly storage: vscode.SecretStorage) {
    this.subscription = storage.onDidChange(({ key }) => {
      if (key.startsWith(PREFIX)) this.changeEmitter.fire(knownProvider(key.slice(PREFIX.length)));
    });
  }

  async get(provider: string): Promise<string | undefined> {
    for (const name of namesOfProvider(provider)) {
      const key = await this.storage.get(PREFIX + name);
      if (key !== undefined) return key;
    }
    return undefined;
  }

  async set(provider: string, key: string): Promise<void> {
    await this.storage.store(PREFIX + provider, key);
  }

  async delete(provider: string): Promise<void> {
    for (const name of namesOfProvider(provider)) await this.storage.delete(PREFIX + name);
  }

  async list(): Promise<readonly string[]> {
    const keys = await this.storage.keys();
    const named = keys.filter(key => key.startsWith(PREFIX)).map(key => knownProvider(key.slice(PREFIX.length)));
    return [...new Set(named)].sort();
  }

  dispose(): void {
    this.subscription.dispose();
    this.changeEmitter.dispose();
  }
}
