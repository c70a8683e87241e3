import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachedFolder } from './cached.ts';
import { UserError } from './fail.mjs';

/** Says which release of the system this is; packages of different releases do not fit together. */
const RELEASE = '/etc/os-release';

/**
 * Unpacks Debian packages into a folder of the cache, once: without root, without a change of the system, and without the
 * packages that they depend on. apt gets them from where it gets those of the system. Resolves with the absolute path of the
 * folder, which holds them as `/` would.
 *
 * @param packages - names; one with an architecture, such as `libc6:arm64`, may be of another than the system's
 * @throws {UserError} when the system has no apt, or apt cannot get a package
 */
export function unpackedDebianPackages(packages: readonly string[]): Promise<string> {
  const release = existsSync(RELEASE) ? readFileSync(RELEASE, 'utf8') : '';
  const hash = createHash('sha256')
    .update([...packages, release].join('\n'))
    .digest('hex')
    .slice(0, 16);
  return cachedFolder(['debian', hash], folder => {
    const native = run('dpkg', ['--print-architecture']).trim();
    console.log(`hookline: getting ${packages.join(', ')} with apt, once`);
    const own = mkdtempSync(join(tmpdir(), 'hookline-apt-'));
    try {
      const architectures = [native, ...packages.flatMap(name => name.split(':')[1] ?? [])];
      download(own, packages, [...new Set(architectures)]);
      const files = readdirSync(own).filter(name => name.endsWith('.deb'));
      for (const file of files) run('dpkg', ['-x', join(own, file), folder]);
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  });
}

/** Downloads packages into a folder, with lists and a state of apt that are only there. */
function download(folder: string, packages: readonly string[], architectures: readonly string[]): void {
  const [lists, cache, status] = [join(folder, 'lists'), join(folder, 'cache'), join(folder, 'status')];
  for (const part of [lists, join(cache, 'archives')]) mkdirSync(join(part, 'partial'), { recursive: true });
  writeFileSync(status, '');
  const settings = {
    'Dir::State::lists': lists,
    'Dir::State::status': status,
    'Dir::Cache': cache,
    // Of root, the user to whom apt changes cannot write into our folder.
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
  };
  const lines = [
    ...Object.entries(settings).map(([name, value]) => `${name} "${value}";`),
    `APT::Architectures { ${architectures.map(each => `"${each}";`).join(' ')} };`,
  ];
  const config = join(folder, 'apt.conf');
  writeFileSync(config, lines.join('\n'));
  const env = { ...process.env, APT_CONFIG: config };
  // A source that the packages are not from may fail.
  spawnSync('apt-get', ['-qq', 'update'], { env, stdio: 'ignore' });
  run('apt-get', ['-qq', 'download', ...packages], { env, cwd: folder });
}

function run(
  program: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, { ...options, encoding: 'utf8' });
  if (status === 0) return stdout;
  const lines = stderr.trim().split('\n');
  const why = error?.message ?? lines.find(line => line.startsWith('E: ')) ?? lines.at(-1);
  throw new UserError(
    `${program} ${args[0] === '-x' ? 'cannot unpack a package' : args.join(' ')} failed: ${String(why)}`,
  );
}
