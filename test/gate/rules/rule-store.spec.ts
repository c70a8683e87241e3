import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFileLock } from '../../../src/agent/models/keys/file-lock';
import { silentLog } from '../../../src/base/log';
import type { ApprovalRule } from '../../../src/hook-contract/approvals/approval-rule';
import { RuleStore } from '../../../src/gate/rules/rule-store';

const rule = (command: string): ApprovalRule => ({ tool: 'bash', match: { type: 'exact', command } });

describe('the store of approval rules', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'hookline rules ä '));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('says that a removed rule is not saved, as it would be back in the next window', async () => {
    const file = join(dir, 'rules.json');
    const logged: string[] = [];
    const store = await RuleStore.open(file, { ...silentLog, error: text => logged.push(text) });
    await store.add(rule('make'));
    await store.add(rule('rm -rf build'));
    writeFileSync(file, '{"rules": [{ "tool": "bash" }]}');
    await assert.rejects(store.remove(rule('rm -rf build')), /rules\.json could not be read.*not saved/);
    await assert.rejects(store.replace(rule('make'), rule('make test')), /not saved/);
    assert.equal(readFileSync(file, 'utf8'), '{"rules": [{ "tool": "bash" }]}');
    await store.add(rule('ls'));
    assert.deepEqual(store.current, [rule('ls')]);
    assert.match(logged.join('\n'), /^[^\n]*rules\.json could not be read[^\n]*$/, 'adding only logs it');
  });

  it('keeps the rules that the stores of two folders add at the same time', async () => {
    const file = join(dir, 'agent', 'rules.json');
    const [one, other] = await Promise.all([RuleStore.open(file, silentLog), RuleStore.open(file, silentLog)]);
    const commands = ['make', 'make test', 'make all', 'make it'];
    await Promise.all(commands.map((command, index) => (index % 2 === 0 ? one : other).add(rule(command))));
    const { current } = await RuleStore.open(file, silentLog);
    assert.deepEqual(current.map(({ match }) => match.type === 'exact' && match.command).sort(), commands.sort());
  });

  it('lets a rule count while another process writes the file, and adds it to what that wrote', async () => {
    const file = join(dir, 'rules.json');
    const store = await RuleStore.open(file, silentLog);
    const added = await withFileLock(file, async () => {
      const adding = store.add(rule('make'));
      await new Promise<void>(resolve => store.onDidChange(resolve));
      assert.deepEqual(store.current, [rule('make')]);
      assert.equal(existsSync(file), false);
      writeFileSync(file, JSON.stringify({ rules: [rule('ls')] }));
      return { adding };
    });
    await added.adding;
    assert.deepEqual(store.current, [rule('ls'), rule('make')]);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { rules: [rule('ls'), rule('make')] });
  });

  it('keeps which commands that only read are asked about, and forgets that when all of them run', async () => {
    const file = join(dir, 'rules.json');
    const store = await RuleStore.open(file, silentLog);
    assert.deepEqual(store.plainReading, { enabled: true, asks: [] });
    const choice = { enabled: true, asks: ['cat'] };
    await store.choosePlainReading(choice);
    await store.add(rule('make'));
    const again = await RuleStore.open(file, silentLog);
    assert.deepEqual([again.plainReading, again.current], [choice, [rule('make')]]);
    await again.choosePlainReading({ enabled: true, asks: [] });
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { rules: [rule('make')] });
  });

  it('lets no command run because it only reads, if the file cannot be read', async () => {
    const file = join(dir, 'rules.json');
    for (const text of [
      '{',
      '{ "rules": [], "plainReading": true }',
      '{ "rules": [], "plainReading": { "asks": "cat" } }',
    ]) {
      writeFileSync(file, text);
      const store = await RuleStore.open(file, silentLog);
      assert.deepEqual([store.plainReading.enabled, store.problems.length], [false, 1], text);
      await assert.rejects(store.choosePlainReading({ enabled: true, asks: [] }), /not saved/);
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });
});
