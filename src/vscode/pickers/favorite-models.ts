import type * as vscode from 'vscode';

const KEY = 'hookline.favoriteModels';

/** The models that the user marked, as `provider/id`, in every folder. */
export class FavoriteModels {
  constructor(private readonly memory: Pick<vscode.Memento, 'get' | 'update'>) {}

  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** Adds a model, or removes it. */
  async toggle(name: string): Promise<void> {
    const { names } = this;
    await this.memory.update(KEY, names.includes(name) ? names.filter(other => other !== name) : [...names, name]);
  }

  private get names(): readonly string[] {
    const stored = this.memory.get<unknown>(KEY);
    return Array.isArray(stored) ? stored.filter(name => typeof name === 'string') : [];
  }
}
