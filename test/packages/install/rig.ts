import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { defined } from '../../../src/base/defined';
import { loadSettings } from '../../../src/agent/settings/load-settings';
import { readDeclarations, type DeclaredPackage } from '../../../src/packages/declared';
import { GitClient } from '../../../src/packages/install/fetch/git-client';
import { NpmClient } from '../../../src/packages/install/fetch/npm-client';
import { npmCommandFrom } from '../../../src/packages/install/fetch/npm-command';
import { PackageInstaller } from '../../../src/packages/install/package-installer';
import type { InstallRun } from '../../../src/packages/install/fetch/run';
import type { StagedPackage, ReviewVerdict } from '../../../src/packages/install/fetch/staged-package';
import { FakeRegistry } from '../../support/fake-registry';
import { GitHost } from '../../support/git-host';

/** Installs with the real npm and git, which ask servers of the test alone. */
export class InstallRig {
  readonly cancel = new AbortController();
  readonly told: string[] = [];
  readonly reviewed: StagedPackage[] = [];
  /** What the person says; looks at what is downloaded before. */
  review: (packages: readonly StagedPackage[]) => ReviewVerdict | Promise<ReviewVerdict> = () => 'install';
  /** Gets what the review accepted. */
  accepted: (packages: readonly StagedPackage[]) => void | Promise<void> = () => undefined;
  npmCommand: readonly string[] = [];
  lockWaitMs: number | undefined;
  readonly agentDir: string;
  readonly cwd: string;
  readonly git: GitHost;

  private constructor(
    readonly root: string,
    readonly registry: FakeRegistry,
  ) {
    this.agentDir = join(root, 'agent');
    this.cwd = join(root, 'project');
    this.git = new GitHost(join(root, 'repositories'));
    mkdirSync(this.cwd);
  }

  static async open(): Promise<InstallRig> {
    return new InstallRig(mkdtempSync(join(tmpdir(), 'hookline-install-')), await FakeRegistry.open());
  }

  get env(): NodeJS.ProcessEnv {
    // The npm that started the tests hands its own settings on.
    const own = Object.entries(process.env).filter(([name]) => !/^npm_config_/i.test(name));
    return { ...Object.fromEntries(own), ...this.registry.environment(this.root), ...this.git.environment() };
  }

  get run(): InstallRun {
    return { signal: this.cancel.signal, progress: text => this.told.push(text) };
  }

  get npm(): NpmClient {
    return new NpmClient(() => npmCommandFrom(this.npmCommand), this.env);
  }

  get installer(): PackageInstaller {
    return new PackageInstaller({
      places: { agentDir: this.agentDir, cwd: this.cwd },
      npm: this.npm,
      git: new GitClient(this.env),
      review: async packages => {
        this.reviewed.push(...packages);
        return this.review(packages);
      },
      accepted: async packages => this.accepted(packages),
      ...defined({ lockWaitMs: this.lockWaitMs }),
    });
  }

  /** What the settings files declare now. */
  async declared(): Promise<readonly DeclaredPackage[]> {
    const places = { agentDir: this.agentDir, cwd: this.cwd };
    const { settings } = await loadSettings({ ...places, includeProject: true });
    return readDeclarations({ places, lists: settings.packages }).packages;
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  json(path: string): unknown {
    return JSON.parse(this.read(path));
  }

  /** Every file and folder of the agent folder and the project, with its content. */
  snapshot(): Readonly<Record<string, string>> {
    return { ...contentOf(this.agentDir, this.root), ...contentOf(this.cwd, this.root) };
  }

  async close(): Promise<void> {
    await this.registry.close();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function contentOf(folder: string, root: string): Record<string, string> {
  const found: Record<string, string> = {};
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return {}; // It is not there.
  }
  found[relative(root, folder)] = 'folder';
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) Object.assign(found, contentOf(path, root));
    else found[relative(root, path)] = entry.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, 'utf8');
  }
  return found;
}
