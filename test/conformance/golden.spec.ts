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
import { EVENT_NAMES, EVENT_ROWS, llmOptions, NEVER_CAUSED } from './events-table';
import { call, COMPACT_SOON, Person } from './support';

type DialectId = keyof typeof EVENT_NAMES;

/** An act of the person in the conversation that all dialects hear. */
interface Step {
  readonly title: string;
  /** The dialects with events that only this step causes; absent: all. */
  readonly of?: readonly DialectId[];
  /** What the model answers. */
  readonly script?: readonly Script[];
  /** Events that are not the same in every run: how far the answer is by then depends on the network. */
  readonly leavesOut?: readonly string[];
  readonly act: (place: Place) => Promise<unknown>;
}

interface Place {
  readonly rig: Rig;
  readonly llm: Model<Api>;
}

const say =
  (text: string): Step['act'] =>
  ({ rig }) =>
    rig.chat.submit(text);

const LONG = 'word '.repeat(80);
const EDIT = { path: 'notes.txt', edits: [{ oldText: 'one', newText: 'two' }] };
const TODO = (status: string): Script => call('todo', { todos: [{ content: 'test it', status }] }, `call-${status}`);

/** The messages of the session, without the prompt. */
const said = ({ rig }: Place): readonly string[] =>
  rig.conversation.store
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
  {
    title: 'a tool tells how far it is; in pi, it also calls another tool',
    of: ['ext', 'pi'],
    script: [call('count', {}), { text: 'Counted.' }],
    act: say('Count.'),
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
    act: ({ rig }) => rig.conversation.run.compact().catch(() => undefined),
  },
  {
    title: 'the person compacts',
    script: [{ text: 'In short.' }],
    act: say('/compact mind the tests'),
  },
  {
    title: 'the person goes back in the session tree, with a summary of what is left',
    script: [{ text: 'What was left.' }],
    act: place => place.rig.conversation.tree.navigate(said(place)[1]!, { summarize: true }),
  },
  {
    title: 'the person branches from the first message',
    act: place => place.rig.conversation.sessions.fork(said(place)[0]!),
  },
  { title: 'the person begins a session', act: say('/new') },
  {
    title: 'the person chooses a model with a provider, and says something',
    of: ['ext', 'pi'],
    leavesOut: ['message_start', 'message_update'],
    act: async ({ rig, llm }) => {
      await rig.conversation.models.set(llm);
      await rig.chat.submit('Hello.');
    },
  },
  {
    title: 'the person resumes the first session',
    act: ({ rig }) => {
      const folder = resolve(rig.root, 'home/.pi/agent/sessions/here');
      return rig.conversation.sessions.switchTo(join(folder, readdirSync(folder).sort()[0]!));
    },
  },
];

/** Events that need another place than this conversation: no folder of it is asked about, and no server is connected. */
const ELSEWHERE: readonly string[] = [...Object.keys(NEVER_CAUSED), 'project_trust', 'mcp_servers_change'];

/** The names of all events of a dialect, sorted. */
function namesOf(dialect: DialectId): readonly string[] {
  const caused = EVENT_ROWS.filter(({ dialects }) => dialects.includes(dialect)).map(
    ({ event }) => event.split(':')[0]!,
  );
  return [...new Set([...EVENT_NAMES[dialect], ...caused])].sort();
}

/** The file of a dialect, at a place where Hookline looks for it. */
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
  let rig: Rig | undefined;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'hookline golden ä '));
    llm = await ScriptedLlm.start();
    llm.reply({ text: ['Hello you.'] });
  });
  afterEach(async () => {
    Reflect.deleteProperty(globalThis, 'heard');
    await rig?.close();
    await llm.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function open(dialect: DialectId, model: ScriptedStream): Promise<Place> {
    const { models: [provider] = [], stream } = llmOptions(llm);
    assert.ok(provider && stream);
    rig = await Rig.open([], {
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
      stream: (chosen, ...rest) => (chosen.id === provider.id ? stream : model.stream)(chosen, ...rest),
    });
    rig.dialogs.addView(new Person());
    const [file] = rig.host.infos();
    assert.deepEqual([file?.dialect?.id, file?.state], [dialect, { type: 'live' }]);
    assert.deepEqual([...new Set(file?.handlers.map(({ event }) => event))].sort(), namesOf(dialect));
    return { rig, llm: provider };
  }

  for (const dialect of Object.keys(EVENT_NAMES) as DialectId[]) {
    it(`a file of ${dialect} hears what its golden file says`, async () => {
      const transcript = new Transcript(root);
      const heard = new Set<string>();
      let leftOut: readonly string[] = [];
      Reflect.set(globalThis, 'heard', (name: string, event: object, facts: object) => {
        heard.add(name);
        if (!leftOut.includes(name)) transcript.event(name, event, facts);
      });
      const steps = STEPS.filter(({ of }) => of?.includes(dialect) ?? true);
      const script = steps.flatMap(({ script: answers = [] }) => answers);
      const model = new ScriptedStream(...script);
      transcript.step('the window opens');
      const place = await open(dialect, model);
      place.rig.host.onError(({ event, message }) => transcript.note(`!! ${event}: ${message}`));
      for (const { title, act, leavesOut = [] } of steps) {
        transcript.step(title);
        leftOut = leavesOut;
        await act(place);
        await until(() => (place.rig.conversation.run.isIdle ? true : undefined), 'the conversation to be idle');
      }
      transcript.step('the window closes');
      await place.rig.close();
      rig = undefined;
      assertGolden(`${dialect}.txt`, String(transcript));
      assert.equal(model.requests.length, script.length, 'the number of answers that the model gave');
      assert.deepEqual(
        namesOf(dialect).filter(name => !heard.has(name) && !ELSEWHERE.includes(name)),
        [],
        'not heard',
      );
    });
  }

  it('there is a golden file for each dialect, and no other', () => {
    const files = Object.keys(EVENT_NAMES).map(dialect => `${dialect}.txt`);
    assert.deepEqual(readdirSync(GOLDEN).sort(), files.sort());
  });
});
