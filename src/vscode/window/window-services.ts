import * as vscode from 'vscode';
import type { HeldFiles } from '../../gate/held-changes/held-files';
import { watchFiles } from '../../startup/watched-files';
import { agentsWatchedFiles } from '../../guard/config/agents-watched-files';
import { machineOf } from '../../guard/config/this-machine';
import { writeRecordsIn, type WriteRecords } from '../../agent/tools/files/writing/write-records';
import { demoModel } from '../../demo-model/demo-model';
import { ModelRegistry } from '../../agent/models/registry';
import { DisposableStore, type Disposable } from '../../base/disposable';
import { LiveSettings, type SettingsPlace } from '../../startup/live-settings';
import { agentDirFrom } from '../../startup/own-folders';
import { openPackageMemory, PackageApproval, type PackageMemory } from '../../packages/approval/package-approval';
import { Packages } from '../../packages/packages';
import { SystemPrompt } from '../../startup/system-prompt';
import { VsCodeSettings } from '../settings';
import type { WindowUi } from './window-ui';
import { ProjectTrust } from '../../startup/trust/project-trust';
import { placeWithoutFolder } from './no-folder';
import { workspaceTrust } from './trust';
import { workFolder } from './work-folder';

/** What a window's hooks and conversations depend on. */
export interface WindowServices extends Disposable {
  /** Absolute; undefined when no folder is open. */
  readonly folder: string | undefined;
  readonly place: SettingsPlace;
  /** Trust in the open folder. `openWindowServices` does not decide it. */
  readonly trust: ProjectTrust;
  /** Changes of settings files that wait for the user. */
  readonly heldFiles: HeldFiles;
  /** Files that tools write, and those whose writing ended with a process. */
  readonly writeRecords: WriteRecords;
  readonly vscodeSettings: VsCodeSettings;
  readonly settings: LiveSettings;
  readonly prompt: SystemPrompt;
  readonly models: ModelRegistry;
  readonly approval: PackageApproval;
  readonly packages: Packages;
  readonly packageMemory: PackageMemory;
}

/** Reads settings, instructions and models. Rejects when pi-ai cannot be loaded; a bad file is reported as a problem. */
export async function openWindowServices({
  keys,
  place: extension,
  workspaceMemory,
  log,
}: WindowUi): Promise<WindowServices> {
  const store = new DisposableStore();
  const folder = workFolder(workspaceMemory)?.uri.fsPath;
  const vscodeSettings = store.add(new VsCodeSettings());
  const agentDir = agentDirFrom(vscodeSettings.value.agentDir);
  const cwd = folder ?? (await placeWithoutFolder(extension.storageDir));
  const { stateDir } = extension;
  const ofAgents = agentsWatchedFiles({ stateDir, cwd, machine: machineOf(process) });
  const heldFiles = store.add(watchFiles({ stateDir, agentDir, cwd }, { writes: true, ofAgents, log }));
  const trust = new ProjectTrust({ agentDir, cwd, editorTrusts: workspaceTrust.isTrusted, env: process.env, log });
  const place: SettingsPlace = {
    agentDir,
    cwd,
    includeProject: () => folder !== undefined && trust.isTrusted,
    variables: () => trust.variables,
  };
  const mayUpdateCatalog = (): boolean => vscodeSettings.value.updateModelList;
  const models = store.add(
    new ModelRegistry({ agentDir: place.agentDir, embedded: demoModel(), keys, log, mayUpdateCatalog }),
  );
  const [settings, prompt] = await Promise.all([
    LiveSettings.open(place, vscodeSettings),
    SystemPrompt.open(place),
    models.load(),
  ]);
  const howTo = vscode.l10n.t('run "Hookline: Review Packages".');
  const packageMemory = openPackageMemory(extension.stateDir, { agentDir, cwd });
  const approval = store.add(new PackageApproval({ agentDir, howTo, memory: packageMemory, log }));
  const packages = store.add(new Packages({ place, settings, gate: approval }));
  const dispose = (): void => {
    store.dispose();
  };
  return {
    ...{ folder, place, trust, heldFiles, vscodeSettings, settings, prompt, models, approval, packages, packageMemory },
    writeRecords: writeRecordsIn(extension.stateDir),
    dispose,
  };
}
