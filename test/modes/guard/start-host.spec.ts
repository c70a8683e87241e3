import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newMark } from '../../../src/base/ending/mark';
import { CHILD_VARIABLE } from '../../../src/startup/trust/project-trust';
import { PARENT_VARIABLE } from '../../../src/startup/parent/messages';
import { CliPlace, until } from '../support/cli';
import { itOnLinux } from '../../support/platform';

describe('hookline guard start', function () {
  this.timeout(60_000);
  let place: CliPlace;
  beforeEach(async () => (place = await CliPlace.make()));
  afterEach(async () => {
    await place.endLeft(); // The host is no child of the test.
    await place.remove();
  });

  // Elsewhere no files show the environment of a process.
  itOnLinux(
    'starts a host that outlives the process group of its starter, in a session and an environment of its own',
    async () => {
      const folder = join(place.root, 'state', 'hookline', 'guard');
      const traces = [
        newMark(),
        PARENT_VARIABLE,
        CHILD_VARIABLE,
        'CLAUDECODE',
        'CODEX_THREAD_ID',
        'COPILOT_CLI',
        'NODE_PATH',
      ];
      const env = {
        ...{ ...place.env, XDG_STATE_HOME: join(place.root, 'state') },
        ...Object.fromEntries(traces.map(name => [name, '1'])),
      };
      const bystander = spawn('sleep', ['1000'], { stdio: 'ignore', detached: true });
      // As an agent does with a hook: in a process group that it kills when it ends.
      const script = '"$0" "$1" guard start && echo started && sleep 1000';
      const starter = spawn('/bin/bash', ['-c', script, process.execPath, place.cliPath], { env, detached: true });
      await once(starter.stdout, 'data');
      process.kill(-starter.pid!, 'SIGKILL');
      await once(starter, 'close');
      const pid = Number(/^pid (\d+)$/m.exec(readFileSync(join(folder, 'endpoint'), 'utf8'))?.[1]);
      const statusOf = (): string => readFileSync(`/proc/${pid}/stat`, 'utf8');
      assert.equal(Number(statusOf().split(') ')[1]?.split(' ')[3]), pid, 'it leads its session');
      const variables = readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .map(each => each.split('=')[0]);
      assert.deepEqual(
        variables.filter(name => traces.includes(name!)),
        [],
      );
      assert.ok(variables.includes('HOME'));
      assert.match(
        (await place.run(['guard', 'status'], { env: { XDG_STATE_HOME: join(place.root, 'state') } })).stdout,
        new RegExp(`The host runs \\(process ${pid},`),
      );
      assert.equal(bystander.exitCode ?? bystander.signalCode, null, 'who is not in the group lives');
      bystander.kill('SIGKILL');
      process.kill(pid, 'SIGTERM');
      await until(() => !existsSync(join(folder, 'endpoint')), 'the end of the host');
    },
  );
});
