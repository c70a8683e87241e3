import { loadSettings } from '../../agent/settings/load-settings';
import { silentLog } from '../../base/log';
import { ProjectTrust, type TrustParts } from './project-trust';
import { relativeHooks } from './relative-hooks';

/**
 * Decides about trust in a folder for commands that load no hooks: handlers of `project_trust` are not asked. Never
 * rejects.
 */
export async function trustWithoutHooks(
  parts: Omit<TrustParts, 'log' | 'editorTrusts' | 'named'>,
): Promise<ProjectTrust> {
  const { agentDir, cwd } = parts;
  const { settings } = await loadSettings({ agentDir, cwd, includeProject: false });
  const trust = new ProjectTrust({ ...parts, named: () => relativeHooks(settings), log: silentLog });
  await trust.decide(undefined, settings.defaultProjectTrust);
  return trust;
}
