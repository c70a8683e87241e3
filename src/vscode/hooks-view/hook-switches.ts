import type * as vscode from 'vscode';
import { Emitter } from '../../base/event';
import type { Disposable } from '../../base/disposable';

/** Key in VS Code's own storage for the workspace. */
const OFF = 'hooks.off';

/**
 * Which hooks the user turned off in this workspace. They are stored in VS Code's storage and not in a file of the
 * workspace, because an agent that can write such a file could turn off the hooks that guard it.
 */
export class HookSwitches implements Disposable {
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;

  constructor(private readonly state: vscode.Memento) {}

  /** Absolute paths of the hooks that are turned off. */
  get off(): readonly string[] {
    const stored: unknown = this.state.get(OFF);
    return Array.isArray(stored) ? stored.filter(path => typeof path === 'string') : [];
  }

  async turn(path: string, to: 'on' | 'off'): Promise<void> {
    const others = this.off.filter(other => other !== path);
    await this.state.update(OFF, to === 'off' ? [...others, path] : others);
    this.changeEmitter.fire();
  }

  dispose(): void {
    this.changeEmitter.dispose();
  }
}
