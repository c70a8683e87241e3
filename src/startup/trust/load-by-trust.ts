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
 * Decides about the folder; if it is trusted then, reads its settings and instructions, and loads all hooks. Where hooks may
 * decide, those from outside of the folder are loaded before. Rejects when looking for hooks does.
 */
export async function loadByTrust({ trust, settings, prompt, host }: TrustedParts): Promise<void> {
  const { mayAskHooks } = trust;
  if (mayAskHooks) await host.reload();
  await trust.decide(host.runner, settings.current.defaultProjectTrust);
  if (trust.isTrusted) await Promise.all([settings.reload(), prompt.reload()]);
  if (trust.isTrusted || !mayAskHooks) await host.reload();
}
