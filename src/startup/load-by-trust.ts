import type { HookHost } from '../hook-run/host/host';
import type { LiveSettings } from './live-settings';
import type { SystemPrompt } from './system-prompt';
import type { ProjectTrust } from './trust/project-trust';

/** The trust in a folder, and what is read from the folder only when it is trusted. */
export interface TrustedParts {
  readonly trust: ProjectTrust;
  readonly settings: LiveSettings;
  readonly prompt: SystemPrompt;
  readonly host: HookHost;
}

/**
 * Decides whether the folder is trusted; if it is, reads its settings and instructions. Then loads the hooks. Where
 * hooks may decide about the trust, those from outside the folder are loaded first. Rejects when the search for hooks
 * fails.
 */
export async function loadByTrust({ trust, settings, prompt, host }: TrustedParts): Promise<void> {
  const { mayAskHooks, isTrusted: wasTrusted } = trust;
  if (mayAskHooks) await host.reload();
  await trust.decide(host.runner, settings.current.defaultProjectTrust);
  if (trust.isTrusted) await Promise.all([settings.reload(), prompt.reload()]);
  if (trust.isTrusted || wasTrusted || !mayAskHooks) await host.reload();
}
