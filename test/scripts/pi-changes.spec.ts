import assert from 'node:assert/strict';
import {
  commandsIn,
  compared,
  entriesSince,
  eventsIn,
  exportsIn,
  flagsIn,
  lacking,
  membersIn,
} from '../../scripts/support/pi-changes.ts';

const DECLARATIONS = `export interface ExtensionContext {
    /** Working folder */
    cwd: string;
    readonly model?: Model;
    compact(options?: CompactOptions): void;
}
export interface Other {
    hidden: string;
}
export interface ExtensionAPI {
    on(event: "agent_start", handler: Handler): () => void;
    on(event: "tool_call", handler: Handler): () => void;
    on<T>(event: T): void;
    exec<T>(command: string): Promise<T>;
}
`;

describe('what changed in pi', () => {
  it('are names that came and went', () => {
    assert.deepEqual(compared(['a/1', 'a/2'], ['a/3', 'a/2', 'a/0']), { added: ['a/0', 'a/3'], removed: ['a/1'] });
    assert.deepEqual(compared(['a'], ['a']), { added: [], removed: [] });
  });

  it('are events and members of the API for hooks, and no others', () => {
    assert.deepEqual(eventsIn(DECLARATIONS), ['agent_start', 'tool_call']);
    assert.deepEqual(membersIn(DECLARATIONS), [
      'ExtensionContext.cwd',
      'ExtensionContext.model',
      'ExtensionContext.compact',
      'ExtensionAPI.exec',
    ]);
  });

  it('are flags, commands and exported values', () => {
    assert.deepEqual(flagsIn('if (arg === "--mode") {} else if (arg === "--help" || arg === "-h") {}'), [
      '--mode',
      '--help',
    ]);
    assert.deepEqual(commandsIn('case "prompt": {\n case "get_state": {\n case "x":'), ['prompt', 'get_state']);
    const index =
      'export { type A, b, c as d, } from "./x.ts";\nexport type { E } from "./y.ts";\nexport { f } from "./z.ts";';
    assert.deepEqual(exportsIn(index), ['b', 'd', 'f']);
  });

  it('is what our sources do not name as a whole word', () => {
    const ours = `on: { tool_call: X, 'session.start': Y }; flag('--mode'); const execute = 1;`;
    const names = ['tool_call', 'session', 'exec', '--mode', '--new', 'execute', 'exec'];
    assert.deepEqual(lacking(names, ours), ['--new', 'exec']);
  });

  it('are the entries of the changelog after a version', () => {
    const log = '# Changelog\n\n## [2.0.0] - b\n- new\n\n## [1.1.0] - a\n- more\n\n## [1.0.0] - z\n- old\n';
    assert.equal(entriesSince(log, '1.0.0'), '## [2.0.0] - b\n- new\n\n## [1.1.0] - a\n- more');
    assert.equal(entriesSince(log, '2.0.0'), '');
    assert.match(entriesSince(log, '0.9.0'), /- old$/);
  });
});
