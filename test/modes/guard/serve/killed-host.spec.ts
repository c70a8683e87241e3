import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installClient } from '../../../../src/guard/client/install-client';
import { readEndpoint } from '../../../../src/guard/protocol/endpoint';
import { guardPlace, type GuardPlace } from '../../../../src/guard/protocol/place';
import { programOf } from '../../../../src/guard/protocol/program';
import { CLIENT_KINDS, OWN_CODE, refusalIn, runClient } from '../../../guard/support';
import { itOnLinux } from '../../../support/platform';
import { rounds as roundsFor } from '../../../support/long-run';
import { tried } from '../../../support/tried';
import { CliPlace, until } from '../../support/cli';

const BLOCKED = 'touch ran';
const OPEN = 'touch kept';
const GATE = `export default pi => {
  pi.on('tool_call', event => (event.input.command === '${BLOCKED}' ? { block: true, reason: 'guarded' } : undefined));
};\n`;
/** Agents that name their events and tools alike. */
const ALIKE = ['claude', 'copilot', 'codex'] as const;

/** How long after the calls the host is killed at most, ms: while it answers, and while it starts and loads the hooks. */
const LATEST = { answering: 40, starting: 1_200 } as const;

describe('the host of the guard', function () {
  let place: CliPlace;
  let guard: GuardPlace;
  beforeEach(async () => {
    place = await CliPlace.make();
    guard = guardPlace(join(place.root, 'state', 'hookline'));
    const program = programOf({ node: process.execPath, cli: place.cliPath }, env(), place.agentDir);
    await installClient(guard, OWN_CODE, program);
    place.hook('gate.ts', GATE);
  });
  afterEach(async () => {
    await place.endLeft(); // The host is no child of the test.
    await place.remove();
  });

  const env = (): NodeJS.ProcessEnv => ({ ...place.env, XDG_STATE_HOME: join(place.root, 'state') });

  let calls = 0;
  /** What the client says to a call of `bash`: the denial, or undefined for no decision. */
  async function ask(command: string): Promise<string | undefined> {
    const id = (calls += 1);
    const agent = ALIKE[id % ALIKE.length]!;
    const own = agent === 'copilot' ? { timestamp: `${id}` } : { transcript_path: '/t.jsonl', tool_use_id: `t${id}` };
    const payload = { session_id: 's1', cwd: place.cwd, hook_event_name: 'PreToolUse', ...own };
    const { stdout, code } = await runClient(guard, {
      ...{ agent, cwd: place.cwd, env: env(), kind: CLIENT_KINDS[id % 5 === 0 ? 1 : 0] },
      payload: JSON.stringify({ ...payload, tool_name: 'Bash', tool_input: { command } }),
    });
    assert.equal(code, 0);
    if (stdout === '') return undefined;
    const reason = refusalIn(stdout);
    assert.ok(reason !== undefined, stdout);
    return reason;
  }

  /** The processes that are the host, or become it. */
  async function starting(): Promise<readonly number[]> {
    const pids = await place.processes();
    return pids.filter(pid => commandOf(pid).includes('guard serve'));
  }

  const rounds = roundsFor(8, 200);
  itOnLinux(
    `lets no call run that a gate blocks, over ${rounds} kills at any moment`,
    async function (this: Mocha.Context) {
      this.timeout(rounds * 30_000);
      const outcomes = { answered: 0, refused: 0 };
      let seed = 47;
      const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
      for (let round = 1; round <= rounds; round += 1) {
        const moment = round % 4 === 0 ? 'starting' : 'answering';
        // The hosts that were killed do not keep the next one from starting.
        if (moment === 'answering') await until(async () => (await ask(BLOCKED)) === 'guarded', 'an answer');
        const running = Promise.all([ask(BLOCKED), ask(OPEN), ask(BLOCKED)]);
        await new Promise(resolve => setTimeout(resolve, random() * LATEST[moment]));
        for (const pid of moment === 'answering' ? [readEndpoint(guard)!.pid] : await starting()) kill(pid);
        const [one, open, other] = await running;
        for (const reason of [one, other]) {
          assert.match(
            reason ?? 'no decision',
            /^(guarded$|Hookline could not check this)/,
            `round ${round} of seed 47`,
          );
          outcomes[reason === 'guarded' ? 'answered' : 'refused'] += 1;
        }
        assert.match(
          open ?? 'no decision',
          /^(no decision$|Hookline could not check this)/,
          `round ${round} of seed 47`,
        );
        tried();
      }
      assert.ok(outcomes.answered > 0 && outcomes.refused > 0, JSON.stringify(outcomes));
    },
  );
});

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // It has ended meanwhile.
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
