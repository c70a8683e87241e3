import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { Kind } from '@sinclair/typebox';
import { parse } from '../../../src/base/schema';
import {
  BUILTIN_TOOLS,
  createBuiltinTools,
  DEFAULT_ACTIVE_TOOLS,
  READ_ONLY_TOOLS,
} from '../../../src/agent/tools/index';
import { textFrom } from './fixture';

describe('createBuiltinTools', () => {
  const tools = createBuiltinTools({ cwd: tmpdir(), commandPrefix: 'X=5' });

  it('gives the seven in order', () => {
    assert.deepEqual(
      tools.map(tool => tool.name),
      ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'],
    );
    assert.deepEqual(
      tools.map(tool => tool.name),
      [...BUILTIN_TOOLS],
    );
    assert.deepEqual(DEFAULT_ACTIVE_TOOLS, ['read', 'bash', 'edit', 'write']);
    assert.deepEqual(READ_ONLY_TOOLS, ['read', 'grep', 'find', 'ls']);
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
      'edit(path, oldText, newText)',
      'write(path, content)',
      'grep(pattern, path?, glob?, ignoreCase?, literal?, context?, limit?)',
      'find(pattern, path?, limit?)',
      'ls(path?, limit?)',
    ]);
    for (const tool of tools) assert.equal((tool.parameters as { [Kind]: string })[Kind], 'Object');
    assert.ok(parse(tools[0]!.parameters, { path: 'x' }).ok);
    assert.ok(!parse(tools[0]!.parameters, { path: 5 }).ok);
  });

  it('passes the settings on', async () => assert.equal(await textFrom(tools[1]!, { command: 'echo $X' }), '5\n'));
});
