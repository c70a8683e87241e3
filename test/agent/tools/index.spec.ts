import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { Kind } from '@sinclair/typebox';
import { parse } from '../../../src/base/json/schema';
import { createBuiltinTools, toolFacts } from '../../../src/agent/tools/index';
import { textFrom } from './fixture';

describe('createBuiltinTools', () => {
  // Where there is a PowerShell, its tool is the eighth.
  const tools = createBuiltinTools({ cwd: tmpdir(), commandPrefix: 'X=5' }).slice(0, 7);

  it('gives the seven in order', () => {
    assert.deepEqual(
      tools.map(tool => tool.name),
      ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'],
    );
    assert.deepEqual(
      tools.filter(tool => tool.isReadOnly === true).map(tool => tool.name),
      ['read', 'grep', 'find', 'ls'],
    );
  });

  it('has the parameters of the reference', () => {
    const signature = tools.map(({ name, parameters }) => {
      const { properties, required = [] } = parameters as { properties: object; required?: string[] };
      return `${name}(${Object.keys(properties)
        .map(key => (required.includes(key) ? key : `${key}?`))
        .join(', ')})`;
    });
    assert.deepEqual(signature, [
      'read(path, offset?, limit?)',
      'bash(command, timeout?)',
      'edit(path, edits)',
      'write(path, content)',
      'grep(pattern, path?, glob?, ignoreCase?, literal?, context?, limit?)',
      'find(pattern, path?, limit?)',
      'ls(path?, limit?)',
    ]);
    for (const tool of tools) assert.equal((tool.parameters as { [Kind]: string })[Kind], 'Object');
    assert.ok(parse(tools[0]!.parameters, { path: 'x' }).ok);
    assert.ok(!parse(tools[0]!.parameters, { path: 5 }).ok);
  });

  it('says how a call is shown, and which file it works on', () => {
    const args = { path: 'a.ts', pattern: 'x', command: 'make', content: 'y' };
    const shown = [...tools.map(({ name }) => name), 'other'].map(name => {
      const { icon, summaryKind, isReadOnly, summarize, file } = toolFacts(name);
      return [name, icon, summaryKind, summarize(args), file(args)?.use, isReadOnly];
    });
    assert.deepEqual(shown, [
      ['read', 'file', 'path', 'a.ts', 'read', true],
      ['bash', 'terminal', 'command', 'make', undefined, false],
      ['edit', 'edit', 'path', 'a.ts', 'edit', false],
      ['write', 'new-file', 'path', 'a.ts', 'write', false],
      ['grep', 'search-fuzzy', 'text', 'x in a.ts', undefined, true],
      ['find', 'search', 'text', 'x in a.ts', undefined, true],
      ['ls', 'list-tree', 'path', 'a.ts', undefined, true],
      ['other', 'tools', 'text', 'a.ts', undefined, false],
    ]);
    for (const { name } of tools) {
      assert.equal(toolFacts(name).file({ path: 5 }), undefined);
      assert.equal(typeof toolFacts(name).summarize({ path: 5 }), 'string');
    }
    assert.equal(toolFacts('ls').summarize({}), '.');
  });

  it('passes the settings on', async () => assert.equal(await textFrom(tools[1]!, { command: 'echo $X' }), '5\n'));
});
