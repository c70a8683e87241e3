import assert from 'node:assert/strict';
import { parseArguments } from '../../../src/modes/arguments/parse';
import { toolFilter, toolsAtStart, unknownTools } from '../../../src/session/run/tool-choice';

const BUILT_IN = ['read', 'bash', 'edit', 'write', 'grep'];
const TOOLS = [...BUILT_IN, 'my_tool', 'my_other', 'mcp__git__log'];

/** The tools that the model is offered, with these settings. */
function offered(line: string, settings: readonly string[] = TOOLS): readonly string[] {
  const options = parseArguments(line.split(' '));
  const all = TOOLS.filter(toolFilter(options));
  const active = all.filter(name => settings.includes(name));
  return toolsAtStart(options, { all, active, builtIn: new Set(BUILT_IN) }) ?? active;
}

describe('tools on the command line', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['-t read,grep', 'read grep mcp__git__log'],
    ['-t my_*', 'my_tool my_other mcp__git__log'],
    ['-t read,mcp__git__*', 'read mcp__git__log'],
    ['-t read,mcp__none__*', 'read'],
    ['-xt bash,my_*', 'read edit write grep mcp__git__log'],
    ['-t read,bash -xt bash', 'read mcp__git__log'],
    ['-nt', ''],
    ['-nt -t read', 'read'],
    ['-nt -t +read', 'read'],
    ['-nbt', 'my_tool my_other mcp__git__log'],
    ['-nbt -t +read', 'my_tool my_other mcp__git__log read'],
  ];
  for (const [line, names] of cases) {
    it(`${line} offers ${names === '' ? 'none' : names}`, () => assert.equal(offered(line).join(' '), names));
  }

  it('+name and -name change what the settings say', () => {
    assert.deepEqual(offered('-t +grep,-bash', ['read', 'bash']), ['read', 'grep']);
    assert.deepEqual(offered('-t read,grep', ['bash']), ['read', 'grep', 'mcp__git__log'], 'a list takes their place');
  });

  it('names that no tool has are told, patterns are not', () => {
    const options = parseArguments(['-t', 'read,fly,my_*,mcp__x']);
    assert.deepEqual(unknownTools(options, TOOLS), ['fly']);
  });
});
