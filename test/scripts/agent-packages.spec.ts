import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newestVersions } from '../../scripts/support/agent-packages';
import { ROOT } from '../../scripts/support/paths';

const PROGRAM = '@kilocode/cli-linux-x64';

describe('the newest versions of other agents', () => {
  const newest = (onNpm: Readonly<Record<string, string>>): ReturnType<typeof newestVersions> =>
    newestVersions(
      { dependencies: { cline: '1.0.0' }, optionalDependencies: { [PROGRAM]: '1.0.0' } },
      name => onNpm[name],
    );

  it('are those of npm, and none is left out', () => {
    assert.deepEqual(newest({ cline: '2.0.0', [PROGRAM]: '3.0.0', '@kilocode/cli': '3.0.0' }), {
      dependencies: { cline: '2.0.0' },
      optionalDependencies: { [PROGRAM]: '3.0.0' },
      remarks: [],
    });
  });

  it('of a package for one system are that of the agent', () => {
    const onNpm = { cline: '2.0.0', [PROGRAM]: '3.0.0', '@kilocode/cli': '3.1.0', [`${PROGRAM}@3.1.0`]: '3.1.0' };
    const { optionalDependencies, remarks } = newest(onNpm);
    assert.deepEqual([optionalDependencies, remarks], [{ [PROGRAM]: '3.1.0' }, []]);
  });

  it('are told apart from the newest one of an agent whose package for this system is older', () => {
    const { optionalDependencies, remarks } = newest({ cline: '2.0.0', [PROGRAM]: '3.0.0', '@kilocode/cli': '3.1.0' });
    assert.deepEqual(optionalDependencies, { [PROGRAM]: '3.0.0' });
    assert.deepEqual(remarks, [
      '@kilocode/cli 3.1.0 is not tested, because npm has @kilocode/cli-linux-x64 only up to version 3.0.0',
    ]);
  });

  it('are an error where npm knows none', () => {
    assert.throws(() => newest({ [PROGRAM]: '3.0.0' }), /npm does not say the newest version of cline/);
  });
});

describe('the locked packages of other agents', () => {
  it('are optional where they are for one system, since npm installs nothing on the others otherwise', () => {
    const text = readFileSync(join(ROOT, 'scripts', 'agents', 'package-lock.json'), 'utf8');
    const { packages } = JSON.parse(text) as {
      readonly packages: Readonly<
        Record<string, { dependencies?: object; optional?: boolean; os?: readonly string[] }>
      >;
    };
    const named = Object.keys(packages['']?.dependencies ?? {});
    assert.ok(named.length > 5);
    const bound = (path: string): boolean => packages[path]?.os?.length === 1;
    assert.deepEqual(
      named.filter(name => bound(`node_modules/${name}`)),
      [],
    );
    const isOptional = Object.keys(packages)
      .filter(bound)
      .map(path => packages[path]?.optional);
    assert.ok(isOptional.length > 0 && isOptional.every(is => is === true));
  });
});
