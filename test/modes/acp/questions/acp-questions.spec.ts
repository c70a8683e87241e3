import assert from 'node:assert/strict';
import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { Answer, DialogKind, QuestionSubject, Unanswered } from '../../../../src/hook-contract/ui/ui';
import { AcpQuestions } from '../../../../src/modes/acp/questions/acp-questions';
import { DialogQueue, type Question } from '../../../../src/session/ports/dialogs';
import { questionWith } from '../../../support/question';
import { AskedClient, PROFILES, type AskedRequest } from '../support/asked-client';

const DIFF = { type: 'diff', path: '/w/a.ts', oldText: 'a', newText: 'b' } as const;
const CALL: ToolCallUpdate = {
  toolCallId: 'call-1',
  title: 'a.ts',
  kind: 'edit',
  status: 'in_progress',
  content: [DIFF],
  locations: [{ path: '/w/a.ts' }],
};
const INPUT = { path: 'a.ts', oldText: 'a', newText: 'b' };
const GATE_OPTIONS: DialogKind = {
  type: 'select',
  options: ['Allow once', 'Allow in this session: x', 'Allow always here: x', 'Deny'],
  meanings: ['allowOnce', 'allowInSession', 'allowAlways', 'refuse'],
  cancels: 'Deny',
};
const OF_CALL: QuestionSubject = {
  type: 'call',
  call: { toolName: 'edit', kind: 'writes', input: INPUT, cwd: '/w' },
  remarks: ['Programs run code from this location: a.ts'],
  isOfSubagent: false,
};
const OF_GATE = {
  hook: { path: '/built-in-gate.ts', name: 'Built-in gate' },
  asker: { type: 'gate' },
  title: 'Change a.ts?',
  message: 'all of it',
  dialog: GATE_OPTIONS,
  toolCallId: 'call-1',
  subject: OF_CALL,
} as const satisfies Partial<Question>;
const COLORS = { type: 'select', options: ['Red', 'Block', 'No, keep it'] } as const satisfies DialogKind;

const selected = (optionId: unknown): object => ({ outcome: { outcome: 'selected', optionId } });
const CANCELLED = { outcome: { outcome: 'cancelled' } };
const accepted = (answer: unknown): object => ({ action: 'accept', content: { answer } });
const text = (shown: string): object => ({ type: 'content', content: { type: 'text', text: shown } });

describe('questions to a client of the Agent Client Protocol', () => {
  let client: AskedClient;
  let said: string[];
  let askedFor: unknown[];
  let restored: string[];
  let queue: DialogQueue;

  const use = (capabilities: AskedClient['capabilities']): void => {
    client = new AskedClient(capabilities);
    said = [];
    askedFor = [];
    restored = [];
    queue = new DialogQueue(error => assert.fail(String(error)));
    queue.addView(
      new AcpQuestions({
        client,
        callFor: (toolCallId, asked) => {
          askedFor.push([toolCallId, asked?.toolName, asked?.input]);
          return Promise.resolve({ ...CALL, toolCallId });
        },
        restoreCall: toolCallId => restored.push(toolCallId),
        say: (level, words, hook) => said.push(`${level} ${words} (${hook ?? ''})`),
      }),
    );
  };
  beforeEach(() => use(PROFILES.everything));

  /** Asks, and answers the only request with this. */
  async function answered(question: Partial<Question>, result: unknown): Promise<Answer> {
    const answer = queue.ask(questionWith(question));
    (await client.sent(0)).resolve(result);
    return answer;
  }

  const optionsOf = ({ params }: AskedRequest): readonly string[] =>
    (params['options'] as { optionId: string; kind: string; name: string }[]).map(
      ({ optionId, kind, name }) => `${optionId} ${kind} ${name}`,
    );
  const callOf = ({ params }: AskedRequest): ToolCallUpdate => params['toolCall'] as ToolCallUpdate;

  for (const [name, capabilities] of Object.entries(PROFILES)) {
    describe(`that offers ${name}`, () => {
      beforeEach(() => use(capabilities));

      it('show a call of the gate with its change, the remarks and one option for each offer', async () => {
        assert.equal(await answered(OF_GATE, selected('2')), 'Allow always here: x');
        const [request] = client.requests;
        assert.ok(request);
        assert.equal(request.method, 'session/request_permission');
        assert.deepEqual(optionsOf(request), [
          '0 allow_once Allow once',
          '1 allow_always Allow in this session: x',
          '2 allow_always Allow always here: x',
          '3 reject_once Deny',
        ]);
        assert.deepEqual(callOf(request), {
          ...CALL,
          content: [DIFF, text('Programs run code from this location: a.ts')],
        });
        assert.deepEqual(askedFor, [['call-1', 'edit', INPUT]]);
        assert.deepEqual(said, []);
      });

      it('show a plan as the content of its call, without options that need a text', async () => {
        const dialog: DialogKind = {
          type: 'select',
          options: ['Ask', 'Edits', 'Auto', 'Edit it…', 'Send it back…', 'Keep planning'],
          meanings: ['allowOnce', 'allowInSession', 'allowInSession', 'goesOn', 'goesOn', 'refuse'],
          cancels: 'Keep planning',
        };
        const plan = '# Plan\n\n1. do it';
        const subject = { type: 'plan', plan } as const;
        const question = { ...OF_GATE, title: 'Approve this plan?', message: plan, dialog, subject };
        assert.equal(await answered(question, selected('3')), 'Keep planning');
        const [request] = client.requests;
        assert.ok(request);
        assert.deepEqual(optionsOf(request), [
          '0 allow_once Ask',
          '1 allow_always Edits',
          '2 allow_always Auto',
          '3 reject_once Keep planning',
        ]);
        const { kind, title, content } = callOf(request);
        assert.deepEqual(
          { kind, title, content },
          { kind: 'switch_mode', title: 'Approve this plan?', content: [text(plan)] },
        );
      });

      it('ask yes or no on the call of the hook, which is shown as before afterwards', async () => {
        const question = {
          dialog: { type: 'confirm' },
          toolCallId: 'call-1',
          title: 'Sure?',
          message: 'It is\nbig.',
        } as const;
        assert.equal(await answered(question, selected('0')), true);
        const [request] = client.requests;
        assert.ok(request);
        assert.deepEqual(optionsOf(request), ['0 allow_once Yes', '1 reject_once No']);
        const { toolCallId, title, content, status } = callOf(request);
        assert.deepEqual(
          { toolCallId, title, content, status },
          {
            toolCallId: 'call-1',
            title: 'gate.ts asks: Sure? · It is big. · a.ts',
            content: [DIFF, text('gate.ts asks: Sure?\n\nIt is\nbig.')],
            status: 'in_progress',
          },
        );
        assert.deepEqual(client.updates, []);
        assert.deepEqual(restored, ['call-1']);
      });

      it('make a call of their own for a command, and end it', async () => {
        const question = questionWith({ dialog: { type: 'confirm' }, title: 'Deploy?', message: '' });
        assert.equal(await answered(question, selected('1')), false);
        const [request] = client.requests;
        assert.ok(request);
        const { id: toolCallId } = question;
        const title = 'gate.ts asks: Deploy?';
        const own = { toolCallId, title, kind: 'other', status: 'pending', content: [text(title)], locations: [] };
        assert.deepEqual(callOf(request), own);
        assert.deepEqual(client.updates, [
          { sessionUpdate: 'tool_call', ...own },
          { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' },
        ]);
        assert.deepEqual(askedFor, []);
      });
    });
  }

  it('make a call of their own for a call of an agent that a hook started, and end it', async () => {
    await answered({ ...OF_GATE, subject: { ...OF_CALL, isOfSubagent: true } }, selected('3'));
    const [request] = client.requests;
    assert.ok(request);
    const { toolCallId, title, content, _meta } = callOf(request);
    assert.equal(title, 'Agent of a hook: a.ts');
    assert.deepEqual(content?.[0], DIFF);
    assert.deepEqual(_meta, { parentToolCallId: 'call-1' });
    assert.deepEqual(askedFor, [[toolCallId, 'edit', INPUT]]);
    const told = client.updates.map(update => ('toolCallId' in update ? [update.toolCallId, update.status] : []));
    assert.deepEqual(told, [
      [toolCallId, 'pending'],
      [toolCallId, 'completed'],
    ]);
    assert.notEqual(toolCallId, 'call-1');
  });

  describe('whose hook offers choices', () => {
    it('are a form with these choices, of which the plain refusal is the default', async () => {
      const dialog = { type: 'select', options: ['Red', 'No'] } as const;
      const question = { dialog, title: 'Which?', message: 'Choose.', toolCallId: 'call-1' };
      assert.equal(await answered(question, accepted('Red')), 'Red');
      const [request] = client.requests;
      assert.equal(request?.method, 'elicitation/create');
      assert.deepEqual(request.params, {
        sessionId: 's-1',
        toolCallId: 'call-1',
        mode: 'form',
        message: 'gate.ts asks: Which?\n\nChoose.',
        requestedSchema: {
          type: 'object',
          properties: { answer: { type: 'string', title: 'Which?', enum: ['Red', 'No'], default: 'No' } },
          required: ['answer'],
        },
      });
      assert.deepEqual(client.updates, []);
    });

    it('are a permission where the client shows no forms; refusing choices and Cancel are refusals', async () => {
      use(PROFILES.noForms);
      const question = { dialog: COLORS, toolCallId: 'call-1' };
      assert.equal(await answered(question, selected('2')), 'No, keep it');
      const [request] = client.requests;
      assert.deepEqual(request && optionsOf(request), [
        '0 allow_once Red',
        '1 reject_once Block',
        '2 reject_once No, keep it',
        '3 reject_once Cancel',
      ]);
    });

    it('are answered with the option of the hook, whose hidden characters the client sees marked', async () => {
      const hidden = 'a\u200bb';
      const dialog = { type: 'select', options: [hidden, 'c'] } as const;
      const answer = queue.ask(questionWith({ dialog }));
      const request = await client.sent(0);
      const { answer: field } = (request.params['requestedSchema'] as { properties: { answer: { enum: string[] } } })
        .properties;
      assert.notEqual(field.enum[0], hidden);
      request.resolve(accepted(field.enum[0]));
      assert.equal(await answer, hidden);
    });

    it('have no answer when the user cancels', async () => {
      assert.equal(await answered({ dialog: COLORS }, { action: 'cancel' }), undefined);
      use(PROFILES.noForms);
      assert.equal(await answered({ dialog: COLORS }, selected('3')), undefined);
      assert.deepEqual(said, []);
    });
  });

  describe('whose hook wants a text', () => {
    const INPUT_DIALOG = { type: 'input', placeholder: 'a name' } as const;

    it('are a form with the text to start from as its default', async () => {
      const dialog = { type: 'editor', prefill: 'line 1\nline 2' } as const;
      assert.equal(await answered({ dialog, title: 'Edit' }, accepted('')), '');
      const schema = client.requests[0]?.params['requestedSchema'] as { properties: object };
      assert.deepEqual(schema.properties, { answer: { type: 'string', title: 'Edit', default: 'line 1\nline 2' } });
    });

    it('are a form with a hint, and have no answer when the user declines', async () => {
      assert.equal(await answered({ dialog: INPUT_DIALOG, title: 'Who?' }, { action: 'decline' }), undefined);
      const schema = client.requests[0]?.params['requestedSchema'] as { properties: object };
      assert.deepEqual(schema.properties, { answer: { type: 'string', title: 'Who?', description: 'a name' } });
    });

    it('are not asked where the client shows no forms, and a notice names the hook', async () => {
      use(PROFILES.noForms);
      assert.equal(await queue.ask(questionWith({ dialog: INPUT_DIALOG, title: 'Who?' })), undefined);
      assert.deepEqual(said, ['warning “Who?” was not asked: this editor shows no forms. (/w/.pi/hooks/gate.ts)']);
      assert.deepEqual(client.requests, []);
    });

    it('are not asked for a secret', async () => {
      assert.equal(await queue.ask(questionWith({ dialog: INPUT_DIALOG, title: 'Your API key?' })), undefined);
      assert.match(said.join(), /“Your API key\?” was not asked: forms of editors are not for secrets\./);
      assert.deepEqual(client.requests, []);
    });
  });

  describe('without a clear answer', () => {
    const BAD: Readonly<Record<string, unknown>> = {
      'an option that was not offered': selected('7'),
      'the name of an option in place of its id': selected('Allow once'),
      'a number as the id': selected(0),
      'a selection without an id': { outcome: { outcome: 'selected' } },
      'an unknown outcome': { outcome: { outcome: 'allowed', optionId: '0' } },
      nothing: null,
      'an answer to a form': accepted('Allow once'),
    };
    for (const [what, result] of Object.entries(BAD)) {
      it(`deny when the client answers with ${what}, and tell the user`, async () => {
        const refused = await answered(OF_GATE, result);
        assert.match((refused as Unanswered).unanswered, /\w/);
        assert.equal(said.length, 1);
        assert.equal(await confirmedWith(result), false);
      });
    }

    async function confirmedWith(result: unknown): Promise<Answer> {
      use(PROFILES.everything);
      return answered({ dialog: { type: 'confirm' }, toolCallId: 'call-1' }, result);
    }

    for (const result of [accepted('Blue'), accepted(true), { action: 'accept' }, selected('0'), { action: 'allow' }]) {
      it(`have none when a form is answered with ${JSON.stringify(result)}`, async () => {
        assert.equal(await answered({ dialog: COLORS }, result), undefined);
        assert.equal(said.length, 1);
      });
    }

    it('deny without a notice when the client closes the question', async () => {
      assert.deepEqual(await answered(OF_GATE, CANCELLED), { unanswered: 'the client closed it' });
      assert.equal(said.length, 0);
      use(PROFILES.everything);
      assert.equal(await answered({ dialog: { type: 'confirm' } }, CANCELLED), false);
    });

    it('deny when the client answers with an error or is gone', async () => {
      const answer = queue.ask(questionWith(OF_GATE));
      (await client.sent(0)).reject(new Error('the client is gone'));
      assert.deepEqual(await answer, { unanswered: 'the client is gone' });
    });

    it('deny when it is not known what the call does', async () => {
      const refusing = new AcpQuestions({
        client,
        callFor: () => Promise.reject(new Error('no such call')),
        restoreCall: id => assert.fail(id),
        say: () => undefined,
      });
      const answer = new Promise<Answer>(resolve => refusing.show(questionWith(OF_GATE), resolve));
      assert.deepEqual(await answer, { unanswered: 'no such call' });
      assert.deepEqual(client.requests, []);
    });
  });

  describe('that end before they are answered', () => {
    it('are withdrawn after their time, and a late yes is ignored', async () => {
      const answer = queue.ask(questionWith({ dialog: { type: 'confirm' }, toolCallId: 'call-1', timeout: 1 }));
      const request = await client.sent(0);
      assert.equal(await answer, undefined);
      assert.equal(request.signal?.aborted, true);
      const next = queue.ask(questionWith(OF_GATE));
      request.resolve(selected('0'));
      (await client.sent(1)).resolve(selected('3'));
      assert.equal(await next, 'Deny');
      assert.deepEqual(said, []);
    });

    it('are withdrawn when the run is stopped, without a notice', async () => {
      const stopping = new AbortController();
      const answer = queue.ask(questionWith(OF_GATE), { signal: stopping.signal });
      const request = await client.sent(0);
      stopping.abort();
      assert.equal(await answer, undefined);
      assert.equal(request.signal?.aborted, true);
      request.reject(new Error('withdrawn'));
      await new Promise(setImmediate);
      assert.deepEqual(said, []);
    });

    it('are not sent when they end before their call is known', async () => {
      const stopping = new AbortController();
      const answer = queue.ask(questionWith(OF_GATE), { signal: stopping.signal });
      stopping.abort();
      assert.equal(await answer, undefined);
      await new Promise(setImmediate);
      assert.deepEqual(client.requests, []);
      assert.deepEqual(client.updates, []);
    });
  });

  it('of parallel calls are each on their own call, and an answer counts for its own question only', async () => {
    const first = queue.ask(questionWith({ ...OF_GATE, toolCallId: 'call-1' }));
    const second = queue.ask(questionWith({ ...OF_GATE, toolCallId: 'call-2' }));
    const one = await client.sent(0);
    one.resolve(selected('0'));
    assert.equal(await first, 'Allow once');
    const two = await client.sent(1);
    one.resolve(selected('0'));
    two.resolve(selected('3'));
    assert.equal(await second, 'Deny');
    assert.deepEqual([callOf(one).toolCallId, callOf(two).toolCallId], ['call-1', 'call-2']);
  });
});
