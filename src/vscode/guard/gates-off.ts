import { join } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { readRegularText } from '../../base/files/regular-file';
import { oneAtATime } from '../../base/async/repeated-calls';
import { Emitter } from '../../base/event';
import { switchesOff } from '../../guard/config/switched-off';
import { agentName } from '../../guard/protocol/agent-call';
import { FileWatcher } from '../watch/file-watcher';
import type { GateOff } from '../hooks-view/hook-diagnostics';

/** Where a folder keeps configurations of other agents that can switch off their hooks. */
const FILES = [
  ['.claude', 'settings.json'],
  ['.claude', 'settings.local.json'],
  ['.codex', 'config.toml'],
] as const;

/** The places in a folder that switch off the gate of another agent, kept up to date. */
export class GatesOff implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changeEmitter.event;
  private readonly files: readonly string[];
  private found: readonly GateOff[] = [];
  private readonly read = oneAtATime(async () => {
    const found = await Promise.all(this.files.map(gatesOffIn));
    this.found = found.flat();
    this.changeEmitter.fire();
  });

  /** `folder`: absolute. */
  constructor(folder: string) {
    this.files = FILES.map(names => join(folder, ...names));
    const watcher = this.store.add(new FileWatcher(undefined));
    watcher.setTargets({ folders: [], files: this.files });
    this.store.add(watcher.onDidChange(() => void this.read()));
    void this.read();
  }

  get list(): readonly GateOff[] {
    return this.found;
  }

  dispose(): void {
    this.store.dispose();
  }
}

async function gatesOffIn(file: string): Promise<readonly GateOff[]> {
  const text = await readRegularText(file).catch(() => ''); // There is no such file, or the agent cannot read it either.
  return switchesOff(file, text).map(({ agent, line, column, length, setting }) => ({
    agent,
    file,
    line: line + 1,
    column: column + 1,
    length,
    setting,
    message: vscode.l10n.t(
      '{0} switches off the hooks of {1} here: nothing guards {1} in this folder.',
      setting,
      agentName(agent),
    ),
  }));
}
