import { basename, dirname, join } from 'node:path';
import type { ApprovalPort, ModeStore } from '../../session/ports/approval-port';
import type { ApprovalSettings } from '../../gate/approval-settings';
import { stateFolders } from '../../gate/approval-store/second-place';
import type { RuleStore } from '../../gate/rules/rule-store';
import { approvalPlaces } from '../../startup/approval-places';
import { plainReadingFor } from '../../startup/plain-reading';
import type { WindowServices } from './window-services';
import type { WindowUi } from './window-ui';

/** The mode and the rules that the built-in gate uses in this window. */
export function approvalSettings(
  { place: extension, workspaceStorageDir }: Pick<WindowUi, 'place' | 'workspaceStorageDir'>,
  { place, vscodeSettings, settings }: Pick<WindowServices, 'place' | 'vscodeSettings' | 'settings'>,
  rules: RuleStore,
): ApprovalSettings {
  const own = [place.agentDir, extension.storageDir, workspaceStorageDir, ...stateFolders(extension.stateDir)];
  const places = approvalPlaces(own, editorFolders(extension));
  return {
    rules,
    places: () => places,
    placeAnswers: () => vscodeSettings.value.approvals.places,
    plainReading: plainReadingFor({
      choice: () => rules.plainReading,
      isTrusted: place.includeProject,
      settings: () => settings.current,
    }),
    selfAsking: () => vscodeSettings.value.approvals.toolsThatAsk,
  };
}

/** The two folders from which an extension can tell where its editor keeps its files. Both are absolute. */
export interface ExtensionFolders {
  /** The storage that VS Code gives to the extension for all windows: `<data>/User/globalStorage/<extension>`. */
  readonly storageDir: string;
  /** The folder of the extension; in the editor's folder of extensions, unless it is being developed. */
  readonly dir: string;
}

/**
 * The folders of the editor that runs the extension: its data, and in it the settings, in case the workspace is below the
 * data; and its extensions. Empty if the editor keeps them in another way.
 */
export function editorFolders({ storageDir, dir }: ExtensionFolders): readonly string[] {
  const user = userFolder(storageDir);
  const extensions = dirname(dir);
  return [
    ...(user === undefined ? [] : [dirname(user), user, join(dirname(user), 'Machine')]),
    ...(basename(extensions) === 'extensions' ? [extensions] : []),
  ];
}

/** The folder of the user's settings; a profile other than the usual one has its storage below `User/profiles`. */
function userFolder(storageDir: string): string | undefined {
  const storages = dirname(storageDir);
  if (basename(storages) !== 'globalStorage') return undefined;
  const above = dirname(storages);
  return basename(dirname(above)) === 'profiles' ? dirname(dirname(above)) : above;
}

/** The approval mode of conversations. It is locked to Ask while the folder's own hooks are held back. */
export function approvalPort(
  { folder, place, vscodeSettings }: Pick<WindowServices, 'folder' | 'place' | 'vscodeSettings'>,
  modes: ModeStore,
): ApprovalPort {
  return {
    defaultMode: () => vscodeSettings.value.approvals.defaultMode,
    isLocked: () => folder !== undefined && !place.includeProject(),
    onDidChange: vscodeSettings.onDidChange,
    modes,
  };
}
