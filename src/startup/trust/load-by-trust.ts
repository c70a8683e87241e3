import type { HookHost } from '../../hooks/host/host';
import type { LiveSettings } from '../live-settings';
import type { SystemPrompt } from '../system-prompt';
import type { ProjectTrust } from './project-trust';

/** What is read from a folder only when that is trusted. */
export interface TrustedParts {
  readonly trust: ProjectTrust;
  readonly settings: LiveSettings;
  readonly prompt: SystemPrompt;
  readonly host: HookHost;
}

/**
 * Loads the hooks from outside of the folder, which may decide about it; if it is trusted then, reads its settings and
 * instructions and loads its hooks, too. Rejects when looking for hooks does.
 */
export async function loadByTrust({ trust, settings, prompt, host }: TrustedParts): Promise<void> {
  await host.reload();
  await trust.decide(host.runner, settings.current.defaultProjectTrust);
  if (!trust.isTrusted) return;
  await Promise.all([settings.reload(), prompt.reload()]);
  await host.reload();
}
