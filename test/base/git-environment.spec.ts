import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { withoutRepository } from '../../src/base/git-environment';
import { itWith } from '../support/platform';

describe('the environment of git', () => {
  itWith('git', 'has none of the variables that this git lists as those of a repository, and all others', () => {
    const listed = execFileSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' }).trim().split('\n');
    assert.ok(listed.length > 10);
    const others = { PATH: '/bin', GIT_SSH_COMMAND: 'ssh', GIT_CONFIG_GLOBAL: '/g', GIT_AUTHOR_NAME: 'x' };
    const all = { ...Object.fromEntries(listed.map(name => [name, 'x'])), ...others };
    assert.deepEqual(withoutRepository(all), others);
  });
});
