import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The host of repositories that sources in tests name. */
export const GIT_HOST = 'https://git.test/';

/** Repositories in a folder, which git finds at {@link GIT_HOST} in an environment with {@link environment}. */
export class GitHost {
  constructor(private readonly folder: string) {}

  environment(): Readonly<Record<string, string>> {
    const settings = join(this.folder, 'settings');
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(settings, `[url "file://${this.folder}/"]\n\tinsteadOf = ${GIT_HOST}\n`);
    return { GIT_CONFIG_GLOBAL: settings };
  }

  /** Commits files to a repository (`owner/name`), which is made when it is new; resolves with the commit. */
  commit(repository: string, files: Readonly<Record<string, string>>, branch = 'main'): string {
    const folder = join(this.folder, repository);
    mkdirSync(folder, { recursive: true });
    const git = (...args: string[]): string => this.git(repository, ...args);
    if (!existsSync(join(folder, '.git'))) {
      git('init', '--quiet', '--initial-branch', 'main');
      git('commit', '--quiet', '--message', 'The beginning', '--allow-empty');
    }
    const isThere = git('branch', '--list', branch) !== '';
    git('checkout', '--quiet', ...(isThere ? [branch] : ['-b', branch]));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    git('add', '--all');
    git('commit', '--quiet', '--message', 'A change', '--allow-empty');
    const commit = git('rev-parse', 'HEAD').trim();
    git('checkout', '--quiet', 'main');
    return commit;
  }

  git(repository: string, ...args: string[]): string {
    const who = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com'];
    return execFileSync('git', [...who, ...args], { cwd: join(this.folder, repository), encoding: 'utf8' });
  }
}
