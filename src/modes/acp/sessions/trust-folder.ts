import * as l10n from '@vscode/l10n';
import { TrustFile } from '../../../agent/settings/trust-file';
import type { CodePlace } from '../../../startup/hook-setup';
import type { Caller } from '../../agents/calling-agent';
import { refuseAgents } from '../../agents/refuse-agents';
import type { FolderRuntime } from '../../start/folder-runtime';

/**
 * Saves that a folder is trusted, and loads what was held back. Resolves with what the user should know; rejects for agents,
 * which decide nothing about trust.
 */
export async function trustFolder(
  { services }: FolderRuntime,
  { caller, code }: { readonly caller: Caller; readonly code: Pick<CodePlace, 'stateDir'> },
): Promise<string> {
  const { trust, place, loadHooks } = services;
  refuseAgents('decide which folders are trusted', caller, code.stateDir);
  await new TrustFile(place.agentDir).save(place.cwd, true);
  await loadHooks();
  if (trust.isTrusted) return l10n.t('This folder is trusted: {0}', place.cwd);
  return l10n.t('It was saved that this folder is trusted, but something else says no: {0}', place.cwd);
}
