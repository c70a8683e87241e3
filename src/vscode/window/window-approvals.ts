import type { ApprovalPort, ModeStore } from '../../session/ports/approval-port';
import type { ApprovalSettings } from '../../gate/approval-settings';
import type { RuleStore } from '../../gate/rules/rule-store';
import { approvalPlaces } from '../../startup/approval-places';
import { editorFolders } from '../../startup/editor-folders';
import { plainReadingFor } from '../../startup/plain-reading';
import type { WindowServices } from './window-services';
import type { WindowUi } from './window-ui';

/** The mode and the rules that the built-in gate uses in this window. */
export function approvalSettings(
  { place: extension, workspaceStorageDir }: Pick<WindowUi, 'place' | 'workspaceStorageDir'>,
  { place, vscodeSettings, settings }: Pick<WindowServices, 'place' | 'vscodeSettings' | 'settings'>,
  rules: RuleStore,
): ApprovalSettings {
  const own = [place.agentDir, extension.storageDir, workspaceStorageDir];
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
