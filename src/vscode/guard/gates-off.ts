import { readdir } from 'node:fs/promises';
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

/** The places in the folders of the workspace that switch off the gate of another agent, kept up to date. */
export class GatesOff implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changeEmitter = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changeEmitter.event;
  private readonly watcher = this.store.add(new FileWatcher(undefined));
  private found: readonly GateOff[] = [];
  private readonly read = oneAtATime(async () => {
    const files = (await Promise.all(foldersOnDisk().map(configurationsIn))).flat();
    const found = await Promise.all(files.map(gatesOffIn));
    this.found = found.flat();
    this.changeEmitter.fire();
  });

  constructor() {
    this.store.add(this.watcher.onDidChange(() => void this.read()));
    this.store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.update()));
    this.update();
  }

  get list(): readonly GateOff[] {
    return this.found;
  }

  dispose(): void {
    this.store.dispose();
  }

  private update(): void {
    const folders = foldersOnDisk();
    this.watcher.setTargets({
      folders: folders.map(folder => join(folder, CODEX_FOLDER)),
      files: folders.flatMap(claudeSettings),
    });
    void this.read();
  }
}

const CODEX_FOLDER = '.codex';

function claudeSettings(folder: string): readonly string[] {
  return ['settings.json', 'settings.local.json'].map(name => join(folder, '.claude', name));
}

/** Configurations in a folder that can switch off the hooks of an agent; Codex has one for each profile as well. */
async function configurationsIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, CODEX_FOLDER)).catch(() => []); // Most folders have none.
  return [...claudeSettings(folder), ...names.map(name => join(folder, CODEX_FOLDER, name))];
}

/** Absolute paths of the workspace's folders on this machine. */
function foldersOnDisk(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => (uri.scheme === 'file' ? uri.fsPath : []));
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
