import { join, sep } from 'node:path';
import type { FileOfPackage } from '../../agent/resources/package-origin';
import type { PackageHolds } from '../../gate/held-changes/package-holds';
import { isWithin } from '../../base/files/is-within';
import type { InstalledPackage } from '../installed';
import { restoreEntry } from '../install/settings-entries';
import type { PackagePlaces } from '../package-source';
import type { Packages } from '../packages';
import type { PackageApproval, PackageMemory } from './package-approval';

/** What {@link HeldPackages} needs. */
export interface HeldPackagesParts {
  readonly packages: Pick<Packages, 'current' | 'stateOf'>;
  readonly approval: PackageApproval;
  readonly memory: PackageMemory;
  readonly places: PackagePlaces;
  /** Asks the user to approve the current content of a package; false if the user does not. */
  readonly review: (installed: InstalledPackage) => Promise<boolean>;
}

/** Changes of approved packages that wait for the user: what is in force meanwhile, and how they are accepted or undone. */
export class HeldPackages implements PackageHolds {
  /** The package's own folder, by its folder in a copy that was handed out. */
  private readonly handedOut = new Map<string, string>();

  constructor(private readonly parts: HeldPackagesParts) {}

  async approvedFile({ content, part, folder }: FileOfPackage): Promise<string | undefined> {
    if (content === undefined || part === '') return undefined;
    const copy = await this.parts.memory.copies.folderOf(content);
    if (copy === undefined) return undefined;
    this.handedOut.set(copy, folder);
    return join(copy, part);
  }

  /** The path in the package's own folder for a path in an approved copy; any other path as it is. */
  originalOf(path: string): string {
    for (const [copy, folder] of this.handedOut) {
      if (path.startsWith(copy + sep)) return folder + path.slice(copy.length);
    }
    return path;
  }

  isDecided({ identity, entries, content }: FileOfPackage): boolean {
    const { packages, memory } = this.parts;
    const now = packages.stateOf(identity);
    const decided = memory.decisions.about(identity);
    const scopes = (['user', 'project'] as const).filter(scope => now.entries[scope] !== entries[scope]);
    const areEntries = scopes.every(scope => memory.decisions.entryOf(scope, decided) === now.entries[scope]);
    if (now.off === true) return areEntries && decided.off === true;
    const isDeclared = now.entries.user !== '' || now.entries.project !== '';
    const isOther = isDeclared && now.content !== content;
    if (scopes.length === 0 && !isOther) return false; // Its files were changed, or nothing is known.
    return areEntries && (!isOther || (now.content !== undefined && decided.approved?.hash === now.content));
  }

  async approve({ identity, entries }: FileOfPackage): Promise<boolean> {
    const { packages, memory } = this.parts;
    const listed = packages.current.packages.find(({ declared }) => declared.identity === identity);
    if (listed?.state === 'held' && !(await this.parts.review(listed.installed))) return false;
    const { decisions } = memory;
    const now = packages.stateOf(identity);
    if (now.off === true) await decisions.note(identity, { off: true });
    for (const scope of ['user', 'project'] as const) {
      const entry = now.entries[scope];
      if (entry !== entries[scope]) {
        await decisions.noteEntry(identity, scope, entry === '' ? undefined : JSON.parse(entry));
      }
    }
    return true;
  }

  async putBack({ identity, entries, content, folder }: FileOfPackage): Promise<void> {
    const { packages, memory, approval, places } = this.parts;
    const now = packages.stateOf(identity);
    if (content !== undefined && now.content !== content) {
      await memory.copies.putBack(content, folder, isWithin(folder, places.agentDir) ? places.agentDir : places.cwd);
    }
    for (const scope of ['user', 'project'] as const) {
      if (now.entries[scope] !== entries[scope]) await restoreEntry({ identity, scope, places }, entries[scope]);
    }
    if (now.off === true) await approval.turn(identity, 'on');
    const { approved } = memory.decisions.about(identity);
    if (approved !== undefined && approved.hash === content) await approval.approveAgain(identity, approved);
  }
}
