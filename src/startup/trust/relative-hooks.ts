import { isAbsolute, normalize } from 'node:path';
import type { PiSettings } from '../../agent/settings/pi-settings';

/** The hooks in the open folder that settings of the user name by relative paths, so that each folder has its own. */
export function relativeHooks({ hooks }: Pick<PiSettings, 'hooks'>): readonly string[] {
  const isInFolder = (path: string): boolean =>
    !isAbsolute(path) && !path.startsWith('~') && !normalize(path).startsWith('..');
  return hooks.map(({ path }) => path).filter(isInFolder);
}
