import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Settings for a VS Code that shows only Hookline: no welcome page, no built-in chat, nothing from the network. */
export const QUIET = {
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  'hookline.models.updateList': false,
  'js/ts.tsserver.automaticTypeAcquisition.enabled': false,
  'remote.autoForwardPorts': false,
  'remote.autoForwardPortsSource': 'output',
  'telemetry.telemetryLevel': 'off',
  'update.showReleaseNotes': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
};

/** Writes the user settings of a VS Code server that is not running yet; `settings` are merged over `QUIET`. */
export function writeUserSettings(serverDataDir: string, settings: Readonly<Record<string, unknown>> = {}): void {
  const folder = join(serverDataDir, 'data', 'User');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'settings.json'), `${JSON.stringify({ ...QUIET, ...settings }, null, 2)}\n`);
}
