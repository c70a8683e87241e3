import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { loadSettings } from '../../src/agent/settings/load-settings';
import type { PackageGate } from '../../src/packages/package-gate';
import type { PartKind } from '../../src/packages/part-filter';
import type { PackageOverview } from '../../src/packages/package-overview';
import { Packages } from '../../src/packages/packages';

/** A home folder and a workspace in a temporary folder, with packages in them. */
export class PackageBox {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'hookline-packages-')));
  readonly home = join(this.root, 'home');
  readonly agentDir = join(this.home, '.pi', 'agent');
  readonly cwd = join(this.root, 'work');
  trusted = true;
  temporary: readonly string[] = [];
  gate: PackageGate | undefined;

  constructor() {
    mkdirSync(this.agentDir, { recursive: true });
    mkdirSync(this.cwd, { recursive: true });
  }

  /** Files by path below the root; a text, or what is written as JSON. */
  write(files: Readonly<Record<string, unknown>>): void {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
    }
  }

  /** `packages` of the person's settings and of the project's. */
  declare(person: readonly unknown[], project: readonly unknown[] = []): void {
    this.write({
      'home/.pi/agent/settings.json': { packages: person },
      'work/.pi/settings.json': { packages: project },
    });
  }

  async open(): Promise<Packages> {
    const { agentDir, cwd, home, temporary, gate } = this;
    const { settings } = await loadSettings({ agentDir, cwd, includeProject: this.trusted });
    const packages = new Packages({
      place: { agentDir, cwd, includeProject: () => this.trusted },
      settings: { current: settings },
      temporary,
      home,
      ...(gate === undefined ? {} : { gate }),
    });
    await packages.reload();
    return packages;
  }

  async overview(): Promise<PackageOverview> {
    return (await this.open()).current;
  }

  /** Parts below a folder of the root: `extensions/a.ts`, and `-extensions/b.ts` where it is off. */
  async parts(folder: string, kind?: PartKind): Promise<string> {
    const { parts } = await this.overview();
    return parts
      .filter(part => kind === undefined || part.kind === kind)
      .map(({ path, isOn }) => (isOn ? '' : '-') + relative(join(this.root, folder), path).split(sep).join('/'))
      .join(' ');
  }

  /** What is wrong, with paths below the root. */
  async problems(): Promise<readonly string[]> {
    const short = (text: string): string => text.replaceAll(`${this.root}${sep}`, '').split(sep).join('/');
    return (await this.overview()).problems.map(({ message, file }) => short(`${file ?? ''}: ${message}`));
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
