import assert from 'node:assert/strict';
import type { Answer, DialogKind, QuestionSubject } from '../../../src/hook-contract/ui/ui';
import { RpcUi } from '../../../src/modes/rpc/rpc-ui';
import type { Question } from '../../../src/session/ports/dialogs';
import { HIDING_COMMAND, SHOWN_COMMAND } from '../../support/hidden-text';
import { questionWith } from '../../support/question';

type Sent = Readonly<Record<string, unknown>>;

const SUBJECT: QuestionSubject = {
  type: 'call',
  call: {
    toolName: 'bash',
    kind: 'executes',
    input: { command: 'ls' },
    cwd: '/w',
    command: { line: 'ls', isPosix: true },
  },
  remarks: [],
  isOfSubagent: false,
};

/** A question of the built-in gate. */
const GATE: Partial<Question> = {
  title: 'Run this command?',
  message: 'ls',
  toolCallId: 'call-1',
  canDeny: true,
  subject: SUBJECT,
  dialog: {
    type: 'select',
    options: ['Allow once', 'Allow in this session: ls', 'Allow always here: ls', 'Deny'],
    meanings: ['allowOnce', 'allowInSession', 'allowAlways', 'refuse'],
    cancels: 'Deny',
  },
};

describe('questions over RPC', () => {
  let sent: Sent[] = [];
  let ui: RpcUi;
  const open = (more: { draws?: boolean; withdraws?: boolean } = {}): RpcUi =>
    new RpcUi({
      send: message => sent.push(message as Sent),
      draws: false,
      withdraws: true,
      whenDrained: () => undefined,
      ...more,
    });
  beforeEach(() => {
    sent = [];
    ui = open();
  });

  /** Asks, and answers with a response of the client. */
  const answered = (question: Partial<Question>, response: object): Answer => {
    let given: Answer = 'nothing was answered';
    ui.show(questionWith(question), answer => (given = answer));
    ui.receive({ id: sent.at(-1)?.['id'], ...response });
    return given;
  };
  /** What a client is sent about a question, without its id. */
  const requestOf = (question: Partial<Question>): Sent => {
    ui.show(questionWith(question), () => undefined);
    const { id, ...request } = sent.at(-1) ?? {};
    assert.equal(typeof id, 'string');
    return request;
  };

  it('have their hidden characters marked, because clients print them in terminals', () => {
    const text = { title: HIDING_COMMAND, message: HIDING_COMMAND };
    const confirm = requestOf({ ...text, dialog: { type: 'confirm' } });
    assert.deepEqual([confirm['title'], confirm['message']], [SHOWN_COMMAND, SHOWN_COMMAND]);
    const input = requestOf({ ...text, dialog: { type: 'input', placeholder: HIDING_COMMAND } });
    assert.deepEqual([input['title'], input['placeholder']], [`${SHOWN_COMMAND}\n\n${SHOWN_COMMAND}`, SHOWN_COMMAND]);
    ui.hookUi({} as never).notify(HIDING_COMMAND, 'info', { hookPath: '/h.ts', event: 'tool_call' });
    assert.equal(sent.at(-1)?.['message'], SHOWN_COMMAND);
  });

  it('are answered with the option of the hook, whose hidden characters the client does not know', () => {
    const dialog = { type: 'select', options: ['No', HIDING_COMMAND] } as const;
    assert.equal(answered({ title: 'Which?', dialog }, { value: SHOWN_COMMAND }), HIDING_COMMAND);
    assert.deepEqual(sent.at(-1)?.['options'], ['No', SHOWN_COMMAND]);
    assert.equal(answered({ title: 'Which?', dialog }, { value: 'No' }), 'No');
  });

  const dialogs: readonly DialogKind[] = [
    { type: 'select', options: ['a'] },
    { type: 'input', placeholder: '' },
    { type: 'editor', prefill: '' },
  ];
  for (const dialog of dialogs) {
    it(`keep their message below the title, as pi has no member for it: ${dialog.type}`, () => {
      assert.equal(requestOf({ title: 'Which?', message: 'Two\nlines', dialog })['title'], 'Which?\n\nTwo\nlines');
      assert.equal(requestOf({ title: 'Which?', message: '', dialog })['title'], 'Which?');
    });
  }

  it('name their hook, and their tool call where there is one', () => {
    const dialog = { type: 'confirm' } as const;
    const hook = { path: '/w/.pi/hooks/gate.ts', name: 'gate.ts', line: 3 };
    assert.deepEqual(requestOf({ title: 'Sure?', hook, dialog, toolCallId: 'call-1' }), {
      type: 'extension_ui_request',
      method: 'confirm',
      title: 'Sure?',
      message: '',
      hook: { name: 'gate.ts', path: '/w/.pi/hooks/gate.ts' },
      toolCallId: 'call-1',
    });
    assert.equal('toolCallId' in requestOf({ dialog }), false);
  });

  it('can be denied with a reason for the model where they are about a call', () => {
    const deny = { confirmed: false, reason: 'use the other folder' };
    for (const dialog of [{ type: 'confirm' }, { type: 'select', options: ['Run', 'Skip'] }] as const) {
      assert.deepEqual(answered({ dialog, canDeny: true }, deny), { denied: 'use the other folder' });
    }
    assert.equal(answered({ dialog: { type: 'confirm' } }, deny), false);
    assert.equal(answered({ dialog: { type: 'select', options: ['Run', 'Skip'] } }, deny), undefined);
  });

  describe('of the built-in gate', () => {
    it('come as confirm, as clients of pi know it, with all options and what each means', () => {
      assert.deepEqual(requestOf(GATE), {
        type: 'extension_ui_request',
        method: 'confirm',
        title: 'Run this command?',
        message: 'ls',
        options: [
          { label: 'Allow once', meaning: 'allowOnce' },
          { label: 'Allow in this session: ls', meaning: 'allowInSession' },
          { label: 'Allow always here: ls', meaning: 'allowAlways' },
          { label: 'Deny', meaning: 'refuse' },
        ],
        hook: { name: 'gate.ts', path: '/w/.pi/hooks/gate.ts' },
        toolCallId: 'call-1',
      });
    });

    it('come as select, with their message, to a client that draws components', () => {
      ui = open({ draws: true });
      const { method, title, options, meanings } = requestOf(GATE);
      assert.deepEqual([method, title], ['select', 'Run this command?\n\nls']);
      assert.deepEqual([(options as string[])[0], (meanings as string[])[0]], ['Allow once', 'allowOnce']);
    });

    for (const [response, answer] of [
      [{ confirmed: true }, 'Allow once'],
      [{ value: 'Allow in this session: ls' }, 'Allow in this session: ls'],
      [{ value: 'Allow always here: ls', confirmed: true }, 'Allow always here: ls'],
      [{ value: 'Deny', confirmed: true }, 'Deny'],
    ] as const) {
      it(`are answered by ${JSON.stringify(response)}`, () => assert.equal(answered(GATE, response), answer));
    }

    it('are denied with the reason of the client', () => {
      assert.deepEqual(answered(GATE, { confirmed: false, reason: 'not here' }), { denied: 'not here' });
    });

    for (const response of [
      {},
      { cancelled: true, confirmed: true },
      { confirmed: false },
      { confirmed: false, value: 'Allow once' },
      { confirmed: false, reason: 7 },
      { confirmed: 'true' },
      { confirmed: 1 },
      { value: 'Allow' },
      { value: 'Allow everything', confirmed: true },
      { value: null, confirmed: true },
      { value: ['Allow once'] },
      { value: 0 },
    ]) {
      it(`are denied by ${JSON.stringify(response)}`, () => assert.equal(answered(GATE, response), undefined));
    }

    it('are denied where no option allows one call alone', () => {
      const dialog = { type: 'select', options: ['Always', 'Deny'], meanings: ['allowAlways', 'refuse'] } as const;
      assert.equal(answered({ ...GATE, dialog }, { confirmed: true }), undefined);
    });
  });

  describe('that end', () => {
    it('without an answer of the client are withdrawn, once', () => {
      const shown = ui.show(questionWith(), () => undefined);
      const [asked] = sent;
      shown.dispose();
      shown.dispose();
      assert.deepEqual(sent.slice(1), [{ type: 'extension_ui_cancel', id: asked?.['id'] }]);
    });

    it('by an answer of the client are not', () => {
      const shown = ui.show(questionWith(), () => shown.dispose());
      ui.receive({ id: sent[0]?.['id'], value: 'Yes' });
      assert.equal(sent.length, 1);
    });

    it('are not withdrawn in a version of the protocol that has no word for it', () => {
      ui = open({ withdraws: false });
      ui.show(questionWith(), () => undefined).dispose();
      assert.equal(sent.length, 1);
    });

    it('take no late answer', () => {
      let answers = 0;
      ui.show(questionWith(), () => (answers += 1)).dispose();
      ui.receive({ id: sent[0]?.['id'], value: 'Yes' });
      assert.equal(answers, 0);
    });
  });
});
