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
      if (key.startsWith(PREFIX)) this.changeEmitter.fire(key.slice(PREFIX.length));
    });
  }

  async get(provider: string): Promise<string | undefined> {
    return this.storage.get(PREFIX + provider);
  }

  async set(provider: string, key: string): Promise<void> {
    await this.storage.store(PREFIX + provider, key);
  }

  async delete(provider: string): Promise<void> {
    await this.storage.delete(PREFIX + provider);
  }

  async list(): Promise<readonly string[]> {
    const keys = await this.storage.keys();
    return keys
      .filter(key => key.startsWith(PREFIX))
      .map(key => key.slice(PREFIX.length))
      .sort();
  }

  dispose(): void {
    this.subscription.dispose();
    this.changeEmitter.dispose();
  }
}
