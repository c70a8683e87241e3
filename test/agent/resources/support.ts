import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadResources, type Resources, type ResourceSources } from '../../../src/agent/resources/load';
import { loadSettings } from '../../../src/agent/settings/load-settings';

/** A home and a workspace on disk, read as a window reads them. */
export class Place {
  readonly root = mkdtempSync(join(tmpdir(), 'hookline resources ä '));
  readonly cwd = join(this.root, 'work');
  readonly home = join(this.root, 'home');
  readonly agentDir = join(this.home, '.pi', 'agent');

  /** Paths start at the root: `work/…`, `home/…`. */
  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.root, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  path(name: string): string {
    return join(this.root, name);
  }

  async load(more: Partial<ResourceSources> = {}): Promise<Resources> {
    const { agentDir, cwd, home } = this;
    const includeProject = more.includeProject ?? true;
    const { settings, problems } = await loadSettings({ agentDir, cwd, includeProject });
    const resources = await loadResources({ agentDir, cwd, home, includeProject, settings, ...more });
    return { ...resources, problems: [...problems, ...resources.problems] };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
