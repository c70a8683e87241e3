import type { PackageSource } from '../package-source';
import { isExactVersion } from './version-order';

/** Whether a source names an exact version or a ref, so that an update does not look for a newer version. */
export function isPinned(source: PackageSource): boolean {
  if (source.type === 'npm') return source.version !== undefined && isExactVersion(source.version);
  return source.type === 'git' && source.ref !== undefined;
}
