import { dirname, join } from 'node:path';
import type { CommandInfo } from '../../hooks/conversation-port';
import { isWithin } from '../../hooks/host/discover';
import type { Runtime } from '../runtime';

/** Where a hook, skill or template comes from, in pi's words. */
interface SourceInfo {
  readonly path: string;
  /** `auto`: found in a folder that is always searched; `local`: named by a setting; `cli`: by the command line. */
  readonly source: 'auto' | 'local' | 'cli';
  readonly scope: 'user' | 'project' | 'temporary';
  readonly origin: 'top-level';
  /** The folder that it was found in or below. */
  readonly baseDir?: string;
}

/** The source of a command; undefined for one that no file stands for. */
export function sourceInfoOf(
  { path, location }: CommandInfo,
  { host, services }: Pick<Runtime, 'host' | 'services'>,
): SourceInfo | undefined {
  if (path === undefined) return undefined;
  const { cwd, agentDir } = services.place;
  const origin = 'top-level';
  const isNamed = host.infos().some(info => info.path === path && info.origin === 'explicit');
  if (isNamed) return { path, source: 'cli', scope: 'temporary', origin };
  const project = join(cwd, '.pi');
  if (isWithin(path, project)) return { path, source: 'auto', scope: 'project', origin, baseDir: project };
  if (isWithin(path, agentDir)) return { path, source: 'auto', scope: 'user', origin, baseDir: agentDir };
  const scope = location === 'path' ? 'temporary' : isWithin(path, cwd) ? 'project' : 'user';
  return { path, source: 'local', scope, origin, baseDir: dirname(path) };
}
