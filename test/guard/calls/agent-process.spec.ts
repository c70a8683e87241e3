import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findAgentProcess } from '../../../src/guard/calls/agent-process';
import { itOnPosix } from '../../support/platform';

describe('the process of an agent', function () {
  this.timeout(30_000);

  itOnPosix('is the one above the shell that runs the client, and is over when it has ended', async () => {
    const agent = spawn(process.execPath, [
      '-e',
      `const shell = require('node:child_process').spawn('/bin/sh', ['-c', 'echo $$; read line; true']);
       shell.stdout.pipe(process.stdout);
       process.stdin.resume();`,
    ]);
    const [told] = (await once(agent.stdout, 'data')) as [Buffer];
    const found = findAgentProcess({ parentPid: Number(told.toString()) });
    assert.equal(found?.isOver(), false);
    agent.kill('SIGKILL');
    await once(agent, 'close');
    assert.equal(found.isOver(), true);
  });

  itOnPosix('is unknown without a pid', () => {
    assert.equal(findAgentProcess({ parentPid: 0 }), undefined);
  });
});
