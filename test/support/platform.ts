import { spawnSync } from 'node:child_process';
import { NEEDS } from '../../scripts/support/mocha-run.ts';

type Tested = (this: Mocha.Context) => unknown;

/** What a test may need that not every system has. */
export type Need = 'Linux' | 'POSIX' | 'git' | 'links' | 'removal of open files' | 'TCP';

/** What the system under test lacks besides, for instance because it is Windows in Wine. */
const LACKS = (process.env['HOOKLINE_TEST_LACKS'] ?? '').split(',');

const always = (): boolean => true;
const HAS: Readonly<Record<Need, () => boolean>> = {
  Linux: () => process.platform === 'linux',
  // Named pipes and sockets in the file system, modes of files, signals, `sh`.
  POSIX: () => process.platform !== 'win32',
  // Elsewhere, a system without git must fail.
  git: () => process.platform !== 'win32' || spawnSync('git', ['--version']).status === 0,
  links: always,
  'removal of open files': always,
  TCP: always,
};

/**
 * A test of what not every system has. Where the system lacks it, the test is not run, and the report names it as one that is
 * not for this system: neither as passed nor as skipped.
 */
export function itWith(need: Need, title: string, test: Tested): Mocha.Test {
  if (!LACKS.includes(need) && HAS[need]()) return it(title, test as Mocha.AsyncFunc);
  const left = it.skip(title);
  Reflect.set(left, NEEDS, need);
  return left;
}

/** A test of what only Linux has. */
export function itOnLinux(title: string, test: Tested): Mocha.Test {
  return itWith('Linux', title, test);
}

/** A test of what Windows does not have. */
export function itOnPosix(title: string, test: Tested): Mocha.Test {
  return itWith('POSIX', title, test);
}
