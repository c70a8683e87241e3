import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { convertHook, type Conversion } from '../../../src/hook-authoring/convert/convert-hook';
import type { HookEvent } from '../../../src/hooks/events/hook-event';
import { babelFrom } from '../../../src/hooks/load/compile/babel';
import { samplesFor } from '../../../src/hook-insight/samples';
import { EVENT_TYPES, namesOf } from '../../../src/hooks/events/event-table';
import { FAKE_MODEL } from '../../support/fake-conversation';
import { oldExamples, UNCONVERTIBLE, type OldHook } from '../../support/converted-hooks';
import { traceOf, type Step } from './two-runs';
import { runs } from '../../support/long-run';

const babel = babelFrom(resolve('node_modules/jiti/dist'));
function convert({ name, text, dialect }: OldHook): Conversion {
  const file = `/hooks/${name.replaceAll('/', '-')}`;
  const converted = convertHook({ file, text, babel, dialect });
  assert.ok(converted.ok, converted.ok ? '' : JSON.stringify(converted.problems));
  return converted.value;
}

const FACTS = { cwd: '/work', model: FAKE_MODEL, messages: [], sessionFile: '/sessions/one.jsonl' };
const COMMANDS = [
  'ls',
  'rm -rf build',
  'sudo rm -rf /',
  'curl http://x',
  'npm start',
  'cat .env',
  'git push',
  'chmod 777 x',
];
const PATHS = ['src/a.ts', '.env', 'package-lock.json', '.git/config', 'node_modules/x'];
const TEXTS = ['fine', 'API_KEY=abcdef', 'token: abcdefgh', `${'line\n'.repeat(200)}end`];

/** Told one after the other when a session takes the place of another. */
const REPLACEMENTS: readonly (readonly Step[])[] = (['new', 'resume', 'fork'] as const).map(reason => [
  { type: 'session_shutdown', reason },
  reason === 'fork'
    ? { type: 'session_branch', entryId: 'e1', previousSessionFile: FACTS.sessionFile }
    : { type: 'session_switch', reason, previousSessionFile: FACTS.sessionFile },
  { type: 'session_start', reason, previousSessionFile: FACTS.sessionFile },
]);

/** A run that a message of a hook starts, which only today's files are told of. */
function startedByMessage(): readonly HookEvent[] {
  const message = { role: 'custom', customType: 'other', content: 'x', display: true, timestamp: 1 } as const;
  return samplesFor('before_agent_start', FACTS).flatMap(({ event }) =>
    event.type === 'before_agent_start' ? [{ ...event, prompt: '', message }] : [],
  );
}

/** Any event that some hook may hear, with contents that the hooks at hand care about. */
function stepsArbitrary(commands: readonly string[]): fc.Arbitrary<readonly Step[]> {
  const samples = EVENT_TYPES.filter(type => type !== 'session_switch' && type !== 'session_branch').flatMap(type =>
    namesOf(type)
      .slice(0, 1)
      .flatMap(name => samplesFor(name, FACTS).map(({ event }) => consistent(event))),
  );
  const call = fc
    .oneof(
      fc.constantFrom(...COMMANDS).map(command => ({ toolName: 'bash', input: { command } })),
      fc.constantFrom(...PATHS).map(path => ({ toolName: 'write', input: { path, content: 'x' } })),
      fc.constantFrom(...PATHS).map(path => ({ toolName: 'edit', input: { path, oldText: 'a', newText: 'b' } })),
    )
    .map((tool): HookEvent => ({ type: 'tool_call', toolCallId: 't', ...tool }));
  const result = fc
    .record({ text: fc.constantFrom(...TEXTS), toolName: fc.constantFrom('read', 'bash'), isError: fc.boolean() })
    .map(({ text, toolName, isError }): HookEvent => ({
      type: 'tool_result',
      toolCallId: 't',
      toolName,
      input: { path: 'a' },
      content: [{ type: 'text', text }],
      details: undefined,
      isError,
    }));
  const branch = fc
    .constantFrom('e1', 'e3')
    .map((entryId): HookEvent => ({ type: 'session_before_branch', entryId, position: 'before' }));
  const context = fc.constantFrom(...TEXTS).map((text): HookEvent => {
    const results = Array.from({ length: 6 }, (_, at) => ({
      role: 'toolResult' as const,
      toolCallId: `t${at}`,
      toolName: 'bash',
      content: [{ type: 'text' as const, text }],
      details: undefined,
      isError: false,
      timestamp: at,
    }));
    const custom = ['git-facts', 'debug-only', 'git-facts'].map((customType, at) => ({
      role: 'custom' as const,
      customType,
      content: text,
      display: true,
      timestamp: 10 + at,
    }));
    const messages = [...results, ...custom];
    return { type: 'context', messages, entryIds: messages.map(() => null) };
  });
  const typed = fc
    .record({ name: fc.constantFrom('none', ...commands), args: fc.constantFrom('', 'one', '"two words" three', ' x') })
    .map((command): Step => ({ type: 'command', ...command }));
  const one = fc.oneof(fc.constantFrom<Step>(...samples, ...startedByMessage()), call, result, branch, context, typed);
  const several = fc.constantFrom(...REPLACEMENTS);
  const steps = fc.oneof({ weight: 6, arbitrary: one.map(step => [step]) }, { weight: 1, arbitrary: several });
  return fc.array(steps, { minLength: 4, maxLength: 24 }).map(lists => lists.flat());
}

const ANSWERS = fc.array(
  fc.constantFrom<string | boolean | undefined>('Yes', 'No', true, false, undefined, 'Allow this once'),
  {
    minLength: 1,
    maxLength: 4,
  },
);

async function behavesTheSame(hook: OldHook): Promise<void> {
  const { name, text } = hook;
  const { text: converted, remarks } = convert(hook);
  const looks = remarks.filter(({ severity }) => severity === 'look').map(({ message }) => message);
  const reason = UNCONVERTIBLE[name];
  if (reason !== undefined) {
    assert.ok(
      looks.some(message => reason.test(message)),
      `${name} says why it is not converted: ${looks.join('; ')}`,
    );
    return;
  }
  assert.deepEqual(looks, [], `${name} is converted as a whole`);
  const before = await traceOf(text, []);
  const after = await traceOf(converted, []);
  assert.deepEqual(after.info.state, { type: 'live' }, converted);
  assert.equal(after.info.dialect?.id, 'pi', after.info.dialect?.because);
  const commands = before.info.commands.map(command => command.name);
  assert.deepEqual(
    after.info.commands.map(command => command.name),
    commands,
  );
  await fc.assert(
    fc.asyncProperty(stepsArbitrary(commands), ANSWERS, async (script, answers) => {
      const old = await traceOf(text, script, answers);
      const now = await traceOf(converted, script, answers);
      const seen = ({ results, shown, done, errors }: typeof old): object => ({
        results,
        shown,
        done,
        // The same thing may go wrong in a handler that is registered under another name now.
        errors: errors.map(error => error.replace(/^[\w.]+: /, '')),
      });
      assert.deepEqual(seen(now), seen(old), converted);
    }),
    runs(3, 60),
  );
}

/** The cut of the sample, by index and by id, is the first entry of the session at hand. */
function consistent(event: HookEvent): HookEvent {
  if (event.type !== 'session_before_compact') return event;
  return { ...event, preparation: { ...event.preparation, firstKeptEntryId: 'e1' } };
}

describe('a converted hook', function () {
  this.timeout(120_000);
  for (const hook of oldExamples()) {
    it(`behaves as the example ${hook.name} does, or says why it cannot`, () => behavesTheSame(hook));
  }
});
