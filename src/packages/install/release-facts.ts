import { messageOf } from '../../base/errors';
import type { Log } from '../../base/log';
import type { InstalledPackage } from '../installed';
import type { GitClient } from './fetch/git-client';
import type { NpmClient, ReleaseInfo } from './fetch/npm-client';

/**
 * Finds out who published an installed or downloaded version, and when. The result is empty when the registry or
 * repository cannot be asked. Rejects only with the reason of the signal.
 */
export class Releases {
  constructor(
    private readonly clients: { readonly npm: NpmClient; readonly git: GitClient },
    private readonly log: Log,
  ) {}

  async factsOf(
    { declared: { source, folder }, version }: InstalledPackage,
    signal: AbortSignal,
  ): Promise<ReleaseInfo> {
    const { npm, git } = this.clients;
    try {
      if (source.type === 'git') return await git.lastChange(folder, signal);
      if (source.type === 'npm' && version !== undefined) {
        return await npm.release(source.name, version, signal);
      }
      return {};
    } catch (error) {
      signal.throwIfAborted();
      this.log.debug(`The publisher of ${folder} is unknown: ${messageOf(error)}`);
      return {};
    }
  }
}
