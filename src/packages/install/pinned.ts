import type { PackageSource } from '../package-source';
import { isExactVersion } from './version-order';

/** Whether an update leaves a package at the version or ref that its source names. */
export function isPinned(source: PackageSource): boolean {
  if (source.type === 'npm') return source.version !== undefined && isExactVersion(source.version);
  return source.type === 'git' && source.ref !== undefined;
}
