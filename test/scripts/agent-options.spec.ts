import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findTests } from '../../scripts/bundle-tests';
import { chooseTests, readAgentOptions, type ChosenTests } from '../../scripts/support/agent-options';
import { columnsOf, tableOfPage } from '../../scripts/support/effects-page';
import { ROOT } from '../../scripts/support/paths';
import { CONTRACTS } from '../../src/guard/agents';

const FILES = ['claude', 'cline', 'codex', 'copilot', 'copilot-sdk', 'gemini'].map(
  name => `/out/agents/test/agents/${name}.agent.mjs`,
);

function chosen(...args: readonly string[]): ChosenTests {
  const { tests, left } = chooseTests(FILES, readAgentOptions(args));
  return { tests: tests.map(path => basename(path, '.agent.mjs')), left };
}

describe('the options of the tests of other agents', () => {
  it('choose the usual agents, all of them, or those that are named', () => {
    assert.deepEqual(chosen(), { tests: ['claude', 'codex', 'copilot', 'copilot-sdk'], left: ['cline', 'gemini'] });
    assert.deepEqual(chosen('--all').left, []);
    assert.deepEqual(chosen('--agent', 'gemini', '--agent=copilot').tests, ['copilot', 'gemini']);
    assert.deepEqual(chosen('--quick').tests, ['claude', 'codex']);
    assert.deepEqual(chosen('--file', 'agents/gem').tests, ['gemini'], 'also one that is not usual');
    assert.deepEqual(chosen('--latest').tests, chosen().tests);
  });

  it('run only some tests of CI, unless others are asked for', () => {
    const { grep, latest, write } = readAgentOptions([]);
    assert.deepEqual({ grep, latest, write }, { grep: undefined, latest: false, write: false });
    assert.match(readAgentOptions(['--quick']).grep ?? '', /blocks a call/);
    assert.equal(readAgentOptions(['--quick', '--grep', 'x']).grep, 'x');
  });

  it('are refused by name where they are wrong', () => {
    const refused = (args: readonly string[], message: RegExp): void => {
      assert.throws(() => chooseTests(FILES, readAgentOptions(args)), message);
    };
    refused(['--agent', 'cursor'], /no agent "cursor"; there are: claude, cline, codex/);
    refused(['--file', 'nothing'], /no test file of the suite "agents" has "nothing" in its path/);
    refused(['--newest'], /Unknown option '--newest'/);
    refused(['claude'], /Unexpected argument 'claude'/);
  });

  it('never write a table of which only a part was seen', () => {
    const excluded = [
      ...[
        ['--write', '--grep', 'x'],
        ['--write', '--quick'],
        ['--quick', '--all'],
      ],
      ...[
        ['--quick', '--agent', 'claude'],
        ['--quick', '--latest'],
        ['--all', '--agent', 'claude'],
      ],
      ['--all', '--file', 'x'],
    ];
    for (const args of excluded) assert.throws(() => readAgentOptions(args), /exclude each other/, args.join(' '));
    const { write, latest, agents } = readAgentOptions(['--latest', '--write', '--agent', 'claude']);
    assert.deepEqual({ write, latest, agents }, { write: true, latest: true, agents: ['claude'] });
  });

  it('know each agent that is usual', () => {
    const { tests } = findTests('agents');
    assert.deepEqual(chooseTests(tests, readAgentOptions([])).tests.length, 4);
  });
});

describe('the versions of other agents', () => {
  it('that the contracts call tested are those that the tests bring, and those in the table', () => {
    const text = readFileSync(join(ROOT, 'scripts', 'agents', 'package.json'), 'utf8');
    const manifest = JSON.parse(text) as { readonly [K in 'dependencies' | 'optionalDependencies']: object };
    const locked = { ...manifest.dependencies, ...manifest.optionalDependencies };
    const heads = columnsOf(tableOfPage()).map(({ agent }) => agent);
    for (const { name, package: packageName = '', testedVersion } of CONTRACTS) {
      if (testedVersion === undefined) continue;
      // A package may be brought as the one that has the program for one system only.
      const brought = Object.entries(locked).filter(([each]) => each.startsWith(packageName));
      assert.ok(
        brought.some(([, version]) => version === testedVersion),
        `${name}: ${JSON.stringify(brought)}`,
      );
      assert.ok(heads.includes(`${name} ${testedVersion}`), `${name} in ${heads.join(', ')}`);
    }
  });
});
