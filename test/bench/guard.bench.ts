import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { FIRED_AGENTS, type FiredId } from '../../src/guard/fire/fired-agents';
import { ModelServer } from '../../src/guard/fire/model-server';
import { AGENT_NAMES } from '../../src/guard/protocol/agent-call';
import { readEndpoint } from '../../src/guard/protocol/endpoint';
import { guardPlace, type GuardPlace } from '../../src/guard/protocol/place';
import { stateFolder } from '../../src/startup/own-folders';
import { realAgent } from '../agents/support/real-agents';
import { WITHOUT_PARENTS, withoutAgentMarks } from '../support/as-person';
import { bench, benchCase } from '../support/bench';
import { ProgramPlace, programs } from '../support/bench-program';

const HOOK = `export default function (pi) {
  pi.on('tool_call', async event => (event.input.command === 'rm' ? { block: true, reason: 'No.' } : undefined));
}
`;
const CALL = JSON.stringify({
  ...{ session_id: 'one', hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'true' } },
  tool_use_id: 'toolu_1',
});
/** Calls of one round, of which the median counts. */
const CALLS = 41;

/** A place in which our hooks guard an agent, and one in which nobody does. */
interface Places {
  readonly ours: ProgramPlace;
  readonly raw: ProgramPlace;
}

await bench(
  benchCase<Places>({
    rows: [
      {
        ...{ name: 'a call of a guarded agent: client, host and a hook (raw: true in the same shell)', figure: 'call' },
        ...{ unit: 'ms', aim: { figure: 10 } },
      },
    ],
    setUp: () => guarded('claude'),
    tearDown: remove,
    measure: {
      raw: ({ raw }) => calls(raw, 'true'),
      ours: ({ ours }) => calls(ours, `bash '${guardIn(ours).client}' claude PreToolUse`),
    },
  }),
  ...(['claude', 'codex', 'copilot'] as const).map(id =>
    benchCase<Places>({
      rows: [
        {
          ...{ name: `${AGENT_NAMES[id]}, start to end with one call (raw: unguarded)`, figure: 'turn' },
          ...{ unit: 'ms' as const, aim: { ratio: 1.25 } },
        },
      ],
      needsPeers: true,
      setUp: () => guarded(id),
      tearDown: remove,
      measure: { raw: ({ raw }) => turn(id, raw), ours: ({ ours }) => turn(id, ours) },
    }),
  ),
);

async function guarded(id: FiredId): Promise<Places> {
  const [program] = programs();
  if (program === undefined) throw new Error('the bench has no command line');
  const [ours, raw] = [new ProgramPlace(program), new ProgramPlace(program)];
  ours.file('work/.pi/hooks/gate.ts', HOOK);
  for (const command of [['add', id, '--yes'], ['start']]) {
    await run(ours, process.execPath, [...WITHOUT_PARENTS, program.cli, 'guard', ...command], {
      PATH: pathWith(id),
    });
  }
  return { ours, raw };
}

/** Codex must be found to trust the hooks; the others need not be there. */
function pathWith(id: FiredId): string | undefined {
  return id === 'codex' ? `${join(realAgent(id).program, '..')}:${String(process.env['PATH'])}` : process.env['PATH'];
}

function guardIn({ env, root }: ProgramPlace): GuardPlace {
  return guardPlace(stateFolder(env, process.platform, root));
}

function remove({ ours, raw }: Places): void {
  const host = readEndpoint(guardIn(ours));
  if (host !== undefined) process.kill(host.pid, 'SIGKILL');
  ours.remove();
  raw.remove();
}

async function calls(place: ProgramPlace, command: string): Promise<{ readonly call: number }> {
  const times: number[] = [];
  for (let count = 0; count < CALLS; count++) times.push(await run(place, 'sh', ['-c', command], {}, CALL));
  return { call: times.sort((one, other) => one - other)[CALLS >> 1] ?? Number.NaN };
}

async function turn(id: FiredId, place: ProgramPlace): Promise<{ readonly turn: number }> {
  const fired = FIRED_AGENTS[id];
  const model = await ModelServer.start(({ tools, results }) =>
    tools.length > 0 && results.length === 0 ? fired.shellCall('true') : { text: 'done' },
  );
  try {
    const { program, args } = realAgent(id);
    const env = fired.env(model.url, '');
    return { turn: await run(place, program, [...fired.args('Go.', model.url, ''), ...args], env) };
  } finally {
    await model.stop();
  }
}

/** Runs a program in the project of a place. Resolves with how long it took, in ms. @throws {Error} when it fails */
async function run(
  place: ProgramPlace,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input = '',
): Promise<number> {
  const begin = performance.now();
  const child = spawn(file, args, { cwd: place.cwd, env: { ...place.env, ...withoutAgentMarks(), ...env } });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  }
  child.stdin.on('error', () => undefined).end(input); // `true` reads nothing.
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${file} ${args.join(' ')}: exit code ${String(code)}\n${printed}`);
  return performance.now() - begin;
}
