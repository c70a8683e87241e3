import assert from 'node:assert/strict';
import { defaultTools } from '../../../src/agent/settings/default-tools';

describe('defaultTools', () => {
  const ALL = [
    ...['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'].map(name => ({ name })),
    { name: 'powershell', defaultActive: false },
  ];
  for (const [setting, expected] of [
    [undefined, 'read bash edit write grep find ls'],
    [[], ''],
    [['grep', 'read'], 'read grep'],
    [['-bash'], 'read edit write grep find ls'],
    [['-bash', '+bash', '-ls'], 'read bash edit write grep find'],
    [['read', '+ls', '-read'], 'ls'],
    [['-bash', '+powershell'], 'read edit write grep find ls powershell'],
    [['read', 'powershell'], 'read powershell'],
    [['+of-a-server', 'of-a-hook'], 'of-a-hook of-a-server'],
    [['+of-a-hook'], 'read bash edit write grep find ls of-a-hook'],
  ] as const) {
    it(`${setting === undefined ? 'not set' : JSON.stringify(setting)} leaves on: ${expected === '' ? 'none' : expected}`, () =>
      assert.equal([...defaultTools(ALL, setting)].join(' '), expected));
  }
});
