import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { readRegularText } from '../../base/files/regular-file';
import { oneAtATime } from '../../base/async/repeated-calls';
import { Emitter } from '../../base/event';
import { hasSwitches, switchesOff } from '../../guard/config/switched-off';
import { ALL_SETUPS } from '../../guard/config/agents';
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
    const roots = foldersOnDisk();
    this.watcher.setTargets({
      folders: roots.flatMap(root => SETUPS.map(setup => join(root, setup.folder.name))),
      files: roots.flatMap(root => SETUPS.flatMap(({ variables = [] }) => variables.map(name => join(root, name)))),
    });
    void this.read();
  }
}

/** Of the agents whose hooks a file can switch off. */
const SETUPS = ALL_SETUPS.filter(({ settings }) => settings.length > 0);

/** Files in a folder that can switch off the hooks of an agent. */
async function configurationsIn(folder: string): Promise<readonly string[]> {
  const found = SETUPS.map(async setup => {
    const own = join(folder, setup.folder.name);
    const names = await readdir(own).catch(() => []); // Most projects have none.
    return [
      ...names.filter(name => hasSwitches(setup, name)).map(name => join(own, name)),
      ...(setup.variables ?? []).map(name => join(folder, name)),
    ];
  });
  return (await Promise.all(found)).flat();
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
