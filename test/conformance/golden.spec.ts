import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import { Rig, until, type RigOptions } from '../support/conversation-rig';
import { assertGolden, GOLDEN } from '../support/golden';
import { isSaid } from '../support/said';
import { ScriptedLlm } from '../support/scripted-llm';
import { scriptedModel, ScriptedStream, type Script } from '../support/scripted-stream';
import { Transcript } from '../support/transcript';
import { EVENT_NAMES, llmOptions, NEVER_CAUSED } from './events-table';
import { call, COMPACT_SOON, Person } from './support';

type DialectId = keyof typeof EVENT_NAMES;

/** An act of the person in the conversation that all dialects hear. */
interface Step {
  readonly title: string;
  /** The dialects with events that only this step causes; absent: all. */
  readonly of?: readonly DialectId[];
  /** What the model answers. */
  readonly script?: readonly Script[];
  readonly act: (place: Place) => Promise<unknown>;
}

interface Place {
  readonly rig: Rig;
  readonly llm: Model<Api>;
}

const say =
  (text: string): Step['act'] =>
  ({ rig }) =>
    rig.chat.inbox.submit(text);

const LONG = 'word '.repeat(80);
const EDIT = { path: 'notes.txt', edits: [{ oldText: 'one', newText: 'two' }] };
const TODO = (status: string): Script => call('todo', { todos: [{ content: 'test it', status }] }, `call-${status}`);

/** The messages of the session, without the prompt. */
const said = ({ rig }: Place): readonly string[] =>
  rig.chat.store
    .getEntries()
    .filter(isSaid)
    .map(({ id }) => id);

const STEPS: readonly Step[] = [
  {
    title: 'a command is blocked, an edit and its result are changed',
    script: [
      { ...(call('bash', { command: 'rm notes.txt' }) as object), thinking: 'Which one?' },
      call('edit', EDIT),
      { text: LONG },
    ],
    act: say('Change notes.txt.'),
  },
  { title: 'the person runs a command', of: ['ext', 'pi'], act: say('!true') },
  { title: 'the session gets a name', of: ['pi'], act: say('/name Notes') },
  { title: 'the model is to think less', of: ['ext', 'pi'], act: say('/thinking low') },
  {
    title: 'a request fails and is sent again',
    of: ['omp'],
    script: [{ stopReason: 'error', errorMessage: '503 overloaded' }, { text: 'Now it works.' }],
    act: say('Try it.'),
  },
  {
    title: 'an answer breaks a rule',
    of: ['omp'],
    script: [{ text: 'x as any' }, { text: 'x' }],
    act: say('Cast it.'),
  },
  {
    title: 'a todo is forgotten',
    of: ['omp'],
    script: [TODO('pending'), { text: 'That is all.' }, TODO('completed'), { text: 'Tested.' }],
    act: say('Plan it.'),
  },
  {
    title: 'the context is full',
    of: ['omp'],
    script: [{ text: 'Full.', totalTokens: 950 }, { text: 'Shorter.' }],
    act: say('Go on with the first part of it.'),
  },
  { title: 'the person says more', script: [{ text: 'More.' }], act: say('Go on with the rest of it.') },
  {
    title: 'a compaction fails',
    of: ['pi'],
    script: [{ stopReason: 'error', errorMessage: 'no such thing' }],
    act: ({ rig }) => rig.chat.run.compact().catch(() => undefined),
  },
  {
    title: 'the person compacts',
    script: [{ text: 'In short.' }],
    act: say('/compact mind the tests'),
  },
  {
    title: 'the person goes back in the session tree, with a summary of what is left',
    script: [{ text: 'What was left.' }],
    act: place => place.rig.chat.tree.navigate(said(place)[1]!, { summarize: true }),
  },
  {
    title: 'the person branches from the first message',
    act: place => place.rig.chat.sessions.fork(said(place)[0]!),
  },
  {
    title: 'the person begins a session, and resumes the one before',
    act: async ({ rig }) => {
      const file = readdirSync(resolve(rig.root, 'home/.pi/agent/sessions/here')).sort()[0]!;
      await rig.chat.inbox.submit('/new');
      await rig.chat.sessions.switchTo(join(rig.root, 'home/.pi/agent/sessions/here', file));
    },
  },
  {
    title: 'the person chooses a model with a provider, and says something',
    of: ['ext', 'pi'],
    act: async ({ rig, llm }) => {
      await rig.chat.models.set(llm);
      await rig.chat.inbox.submit('Hello.');
    },
  },
];

/** Names that a file of a dialect may use, and of which nobody tells in this conversation. */
const NOT_HEARD: { readonly [D in DialectId]: readonly string[] } = {
  v1: [],
  v2: [],
  tree: [],
  omp: [],
  ext: ['tool_execution_update'],
  pi: ['project_trust', 'mcp_servers_change', 'tool_execution_update'],
};

/** Where a dialect has its files. */
function fileOf(dialect: DialectId): RigOptions {
  const text = readFileSync(resolve('test/fixtures/transcripts', `${dialect}.ts`), 'utf8');
  const files = { 'heard.ts': text };
  return dialect === 'ext' || dialect === 'pi' ? { extensions: files } : { hooks: files };
}

/**
 * One whole conversation per dialect, as a file of that dialect hears it: test/golden. The file hears every event of its
 * dialect (test/fixtures/transcripts).
 */
describe('what hooks hear of a conversation', function () {
  this.timeout(30_000);
  let root: string;
  let llm: ScriptedLlm;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'hookline golden ä '));
    llm = await ScriptedLlm.start();
    llm.reply({ text: ['Hello ', 'you.'] });
  });
  afterEach(async () => {
    Reflect.deleteProperty(globalThis, 'heard');
    await llm.stop();
    rmSync(root, { recursive: true, force: true });
  });

  for (const dialect of Object.keys(EVENT_NAMES) as DialectId[]) {
    it(`a file of ${dialect} hears what its golden file says`, async () => {
      const transcript = new Transcript(root);
      const names = new Set<string>();
      Reflect.set(globalThis, 'heard', (name: string, event: object, facts: object) => {
        names.add(name);
        transcript.event(name, event, facts);
      });
      const steps = STEPS.filter(({ of }) => of?.includes(dialect) ?? true);
      const model = new ScriptedStream(...steps.flatMap(({ script = [] }) => script));
      const { models: [provider] = [], stream: real } = llmOptions(llm);
      assert.ok(provider && real);

      transcript.step('the window opens');
      const rig = await Rig.open([], {
        ...fileOf(dialect),
        root,
        files: { 'notes.txt': 'one\n', '.pi/rules/no-any.md': '---\nttsr_trigger: "as any"\n---\nNo casts to any.' },
        models: [scriptedModel, provider],
        settings: {
          ...COMPACT_SOON,
          branchSummary: { skipPrompt: false, reserveTokens: 100 },
          retry: { enabled: true, maxRetries: 2, baseDelayMs: 0, maxAgentDelayMs: 0 },
          todo: { enabled: dialect === 'omp', reminders: true },
        },
        stream: (chosen, ...rest) => (chosen.id === provider.id ? real : model.stream)(chosen, ...rest),
      });
      assert.deepEqual(
        rig.host.infos().map(({ dialect: found, state }) => [found?.id, state.type]),
        [[dialect, 'live']],
      );
      rig.dialogs.addView(new Person());
      rig.host.onError(({ event, message }) => transcript.note(`!! ${event}: ${message}`));
      for (const { title, act } of steps) {
        transcript.step(title);
        await act({ rig, llm: provider });
        await until(() => (rig.chat.run.isIdle ? true : undefined), 'the conversation to be idle');
      }
      transcript.step('the window closes');
      await rig.close(true);
      assertGolden(`${dialect}.txt`, String(transcript));
      assert.equal(
        model.requests.length,
        steps.flatMap(({ script = [] }) => script).length,
        'answers that nobody wanted',
      );
      const expected = EVENT_NAMES[dialect].filter(
        name => !(name in NEVER_CAUSED) && !NOT_HEARD[dialect].includes(name),
      );
      assert.deepEqual(
        expected.filter(name => !names.has(name)),
        [],
        'not heard',
      );
    });
  }

  it('there is a golden file for each dialect, and no other', () => {
    assert.deepEqual(
      readdirSync(GOLDEN).sort(),
      Object.keys(EVENT_NAMES)
        .map(dialect => `${dialect}.txt`)
        .sort(),
    );
  });
});
