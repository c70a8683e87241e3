import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = join('.github', 'workflows');

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly uses?: string;
        readonly needs?: string;
        readonly permissions?: unknown;
        readonly strategy?: { readonly matrix: { readonly os: readonly string[] } };
        readonly steps?: readonly { readonly run?: string; readonly uses?: string }[];
      }
    >
  >;
}

const read = (name: string): Workflow => parse(readFileSync(join(FOLDER, name), 'utf8')) as Workflow;
const commandsOf = ({ jobs }: Workflow): readonly string[] =>
  Object.values(jobs).flatMap(({ steps = [] }) => steps.flatMap(({ run }) => run ?? []));

describe('the workflows', () => {
  const files = readdirSync(FOLDER);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: object };

  for (const file of files) {
    it(`call only scripts and workflows that there are: ${file}`, () => {
      const workflow = read(file);
      const called = commandsOf(workflow).flatMap(run => [...run.matchAll(/\bnpm (?:run ([\w:-]+)|(test|start)\b)/g)]);
      for (const [, script, lifecycle = ''] of called) assert.ok((script ?? lifecycle) in scripts, script);
      const used = Object.values(workflow.jobs).flatMap(({ uses }) => uses ?? []);
      for (const path of used) {
        assert.ok(existsSync(path), path);
        assert.ok('workflow_call' in read(path.slice('./.github/workflows/'.length)).on, path);
      }
      assert.ok(called.length + used.length > 0);
    });

    it(`may only read, except for the job that drafts a release, and publish nothing: ${file}`, () => {
      const workflow = read(file);
      assert.deepEqual(workflow.permissions, { contents: 'read' });
      const writing = Object.entries(workflow.jobs).filter(([, { permissions }]) => permissions !== undefined);
      assert.deepEqual(
        writing.map(([name, { permissions }]) => [name, permissions]),
        file === 'release.yml' ? [['draft', { contents: 'write' }]] : [],
      );
      for (const run of commandsOf(workflow)) assert.doesNotMatch(run, /\bpublish\b|--draft=false|release edit/);
    });
  }

  it('draft a release only after the tests on three systems', () => {
    const { test, draft } = read('release.yml').jobs;
    assert.equal(test?.uses, './.github/workflows/ci.yml');
    assert.equal(draft?.needs, 'test');
    const systems = read('ci.yml').jobs['test']?.strategy?.matrix.os;
    assert.deepEqual(systems, ['ubuntu-latest', 'macos-latest', 'windows-latest']);
  });

  it('take the address of the repository and the tag from where they run', () => {
    const [pack = ''] = commandsOf(read('release.yml'));
    assert.match(pack, /--repository "\$GITHUB_SERVER_URL\/\$GITHUB_REPOSITORY" --tag "\$GITHUB_REF_NAME"$/);
    for (const file of files) assert.doesNotMatch(readFileSync(join(FOLDER, file), 'utf8'), /https?:\/\//);
  });
});
