import type { FileOfPackage } from '../../agent/resources/package-origin';
import type { HookFile } from '../../hook-load/files/discover';

/** What decides about hooks of packages beside their files: approved content, settings, and whether a package is on. */
export interface PackageHolds {
  /** Absolute path of the file in the approved copy of its package; undefined when there is no such copy. */
  approvedFile(was: FileOfPackage): Promise<string | undefined>;
  /** Whether all that is different now was decided by the user in a window or a terminal. */
  isDecided(was: FileOfPackage): boolean;
  /**
   * Takes the current state of the package as what the user decided, after the user approved its content; false if the
   * user does not. Rejects when that fails.
   */
  approve(was: FileOfPackage): Promise<boolean>;
  /** Restores the approved content, the settings and the switch of the package. Rejects when that fails. */
  putBack(was: FileOfPackage): Promise<void>;
}

/** What became of a file of a package; undefined if the package is as it was. */
export function packageChange(
  { packaged, unapproved }: HookFile,
  was: FileOfPackage,
): 'changed' | 'vanished' | undefined {
  if (packaged?.off === true) return 'vanished';
  return unapproved !== undefined || packaged?.content !== was.content ? 'changed' : undefined;
}

/** The state of a package before it was there. */
export function beforePackage({ identity, part, folder, isUsers }: FileOfPackage): FileOfPackage {
  return { identity, part, folder, isUsers, entries: { user: '', project: '' } };
}

/**
 * Files that do not run, without the claims of packages to gate tools whose approved version is `running`, and without the
 * rows that only stand for such a claim.
 */
export function withoutClaimsOf(running: readonly HookFile[], files: readonly HookFile[]): readonly HookFile[] {
  const identities = new Set(running.flatMap(({ packaged }) => packaged?.identity ?? []));
  return files.flatMap(file => {
    const { claimsGate, ...rest } = file;
    if (claimsGate !== true || file.packaged === undefined || !identities.has(file.packaged.identity)) return [file];
    return file.packaged.part === '' ? [] : [rest];
  });
}

/** The file as it is loaded while the approved state of its package stays in force. */
export function inForce(file: HookFile, was: FileOfPackage): HookFile {
  const rest: { -readonly [K in keyof HookFile]: HookFile[K] } = { ...file, packaged: was };
  delete rest.disabled;
  delete rest.unapproved;
  delete rest.claimsGate;
  return rest;
}
