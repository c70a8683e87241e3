import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { DialogQueue, type Question } from '../../src/session/ports/dialogs';
import type { Answer } from '../../src/hook-contract/ui/ui';
import { ANSWER_SCHEME } from '../../src/vscode/ids';
import { hookline, key, staysFalse, until } from './support/extension';
import { questionWith } from '../support/question';
import { Messages } from './support/messages';
import { refuseToClose, replace } from './support/replace';

describe('questions of hooks', () => {
  let queue: DialogQueue;
  let settled: Map<string, Answer>;

  const ask = (given: Partial<Question>, options: { readonly signal?: AbortSignal } = {}): Question => {
    const asked = questionWith({ about: { tool: 'bash', summary: 'rm -rf build' }, ...given });
    void queue.ask(asked, options).then(answer => settled.set(asked.id, answer));
    return asked;
  };
  const answered = (asked: Question): Promise<boolean> =>
    until('the question is answered', () => settled.has(asked.id));
  /** Opens the prompt, as the user does; returns when VS Code has it on the screen. */
  const open = async (asked: Question): Promise<void> => {
    const { ui } = await hookline();
    await until('the question is shown', () => ui.dialogs.waiting === asked);
    await vscode.commands.executeCommand('hookline.answerQuestion');
    await staysFalse('an answer without a choice', () => settled.has(asked.id));
  };
  /** Enter, as Hookline's key binding takes it in the pick of a question. */
  const enter = (): Thenable<unknown> => vscode.commands.executeCommand('hookline.chooseAnswer');
  /** Opens the pick, goes down from where it starts, and presses Enter. */
  const choose = async (asked: Question, steps: number): Promise<void> => {
    await open(asked);
    for (let step = 0; step < steps; step += 1) await key('down');
    await enter();
  };

  beforeEach(async () => {
    const { ui } = await hookline();
    settled = new Map();
    queue = new DialogQueue();
    queue.addView(ui.dialogs);
  });

  afterEach(() => queue.dispose());

  it('are answered by the keyboard', async () => {
    const first = ask({});
    await choose(first, 1);
    await answered(first);
    assert.equal(settled.get(first.id), 'Yes');
  });

  for (const [what, dialog, refusal] of [
    ['the one plain refusal of a select', { type: 'select', options: ['Yes', 'No'] }, 'No'],
    ['No', { type: 'confirm' }, false],
  ] as const) {
    it(`start on ${what}`, async () => {
      const asked = ask({ dialog });
      await choose(asked, 0);
      await answered(asked);
      assert.equal(settled.get(asked.id), refusal);
    });
  }

  for (const [who, asker] of [
    ['a handler that decides', { type: 'deciding' }],
    ['a handler that changes nothing', { type: 'listening' }],
  ] as const) {
    it(`of ${who} open by themselves when nobody types, and no key of the first two seconds answers them`, async () => {
      const { ui } = await hookline();
      const asked = ask({ asker, canDeny: true });
      await until('the question is shown', () => ui.dialogs.waiting === asked);
      await staysFalse('opening answered', () => settled.has(asked.id));
      for (let times = 0; times < 3; times += 1) {
        await enter();
        await key('down');
        await enter();
      }
      await staysFalse('a key answered', () => settled.has(asked.id));
      // The second time, there is no prompt: the key was meant for the one that the first has closed.
      for (let times = 0; times < 2; times += 1) await vscode.commands.executeCommand('hookline.leaveQuestion');
      await staysFalse('Escape answered', () => settled.has(asked.id));
      assert.equal(ui.dialogs.waiting, asked);
      await vscode.commands.executeCommand('hookline.cancelQuestion');
      await answered(asked);
      assert.equal(settled.get(asked.id), undefined);
    });
  }

  for (const asker of [{ type: 'gate' }, { type: 'gate', follows: true }] as const) {
    it(`of the built-in gate open no prompt by themselves: ${JSON.stringify(asker)}`, async () => {
      const { ui } = await hookline();
      const asked = ask({ asker, toolCallId: `tool of ${JSON.stringify(asker)}` });
      await until('the question is shown', () => ui.dialogs.waiting === asked);
      for (const name of ['down', 'enter'] as const) await key(name);
      await enter();
      await staysFalse('a key answered', () => settled.has(asked.id));
      await choose(asked, 1);
      await answered(asked);
      assert.equal(settled.get(asked.id), 'Yes');
    });
  }

  it('of the built-in gate follow in a pick after an answer in a pick about the same call', async () => {
    const first = ask({ asker: { type: 'gate' }, toolCallId: 'tool:1' });
    await choose(first, 1);
    await answered(first);
    const { ui } = await hookline();
    const next = ask({ asker: { type: 'gate', follows: true }, toolCallId: 'tool:1' });
    await until('the question is shown', () => ui.dialogs.waiting === next);
    await staysFalse('opening answered', () => settled.has(next.id));
    await enter();
    await answered(next);
    assert.equal(settled.get(next.id), 'No');
  });

  it('are not answered by an Enter alone where no answer is safe', async () => {
    const asked = ask({ dialog: { type: 'select', options: ['Tabs', 'Blanks'] } });
    await choose(asked, 0);
    await staysFalse('Enter alone answered', () => settled.has(asked.id));
    await key('down');
    await enter();
    await answered(asked);
    assert.equal(settled.get(asked.id), 'Tabs');
  });

  it('come one after the other, and none is lost', async () => {
    const first = ask({ title: 'First?' });
    const second = ask({ dialog: { type: 'confirm' }, title: 'Second?' });
    await choose(first, 1);
    await answered(first);
    await choose(second, 0);
    await answered(second);
    assert.deepEqual([settled.get(first.id), settled.get(second.id)], ['Yes', false]);
  });

  it('stay open when something else takes the place of the pick, and can be brought back', async () => {
    const { ui } = await hookline();
    const asked = ask({});
    await until('the question is shown', () => ui.dialogs.waiting === asked);
    await vscode.commands.executeCommand('workbench.action.showCommands');
    await staysFalse('another pick answered the question', () => settled.has(asked.id));
    assert.equal(ui.dialogs.waiting, asked);
    await choose(asked, 1);
    await answered(asked);
    assert.equal(settled.get(asked.id), 'Yes');
  });

  it('about a call can be denied with a message; from its box, Escape leads back to the question', async () => {
    const { ui } = await hookline();
    const asked = ask({ canDeny: true });
    await choose(asked, 1);
    await staysFalse('the choice alone answered', () => settled.has(asked.id));
    await vscode.commands.executeCommand('hookline.leaveQuestion');
    assert.equal(ui.dialogs.waiting, asked);
    await choose(asked, 1);
    await until('the message is taken', async () => {
      await key('enter');
      return settled.has(asked.id);
    });
    assert.deepEqual(settled.get(asked.id), { denied: '' });
    assert.equal(ui.dialogs.waiting, undefined);
  });

  for (const [what, given, steps] of [
    ['an answer', { dialog: { type: 'input', placeholder: 'name' } }, undefined],
    ['the message of a denial', { canDeny: true }, 1],
  ] as const) {
    it(`have ${what} in the box as it was typed on the card, also while the box is open`, async () => {
      const asked = ask(given);
      queue.noteTyped({ id: asked.id, text: 'on the card' }, {});
      if (steps === undefined) await open(asked);
      else await choose(asked, steps);
      queue.noteTyped({ id: asked.id, text: 'on the card, later' }, {});
      await until('the text is taken', async () => {
        await key('enter');
        return settled.has(asked.id);
      });
      const later = 'on the card, later';
      assert.deepEqual(settled.get(asked.id), steps === undefined ? later : { denied: later });
    });
  }

  it('are cancelled by the command behind Escape', async () => {
    const { ui } = await hookline();
    const asked = ask({ dialog: { type: 'input', placeholder: 'name' }, title: 'Which name?' });
    await open(asked);
    await vscode.commands.executeCommand('hookline.leaveQuestion');
    await answered(asked);
    assert.equal(settled.get(asked.id), undefined);
    assert.equal(ui.dialogs.waiting, undefined);
  });

  it('go away when what they are about is aborted', async () => {
    const { ui } = await hookline();
    const abort = new AbortController();
    const asked = ask({}, { signal: abort.signal });
    await until('the question is shown', () => ui.dialogs.waiting === asked);
    abort.abort();
    await answered(asked);
    assert.equal(ui.dialogs.waiting, undefined);
  });

  it('say why the full question cannot be shown, and stay', async () => {
    const { ui } = await hookline();
    const errors = new Messages('showErrorMessage', []);
    const restore = replace(ui.texts, 'show', () => Promise.reject(new Error('no room')));
    try {
      const asked = ask({ title: 'Run it or not? '.repeat(10) });
      await choose(asked, 1);
      await until('the error is shown', () => errors.shown.some(({ text }) => text === 'no room'));
      assert.equal(ui.dialogs.waiting, asked);
      await vscode.commands.executeCommand('hookline.cancelQuestion');
      await answered(asked);
    } finally {
      restore();
      errors.restore();
    }
  });

  describe('in an editor tab', () => {
    const openTab = async (prefill: string): Promise<{ asked: Question; document: vscode.TextDocument }> => {
      const asked = ask({
        asker: { type: 'listening' },
        dialog: { type: 'editor', prefill },
        title: 'Why this change?',
      });
      return { asked, document: await until('the tab is open', () => shownDocument()) };
    };
    const shownDocument = (): vscode.TextDocument | undefined =>
      vscode.window.visibleTextEditors.map(editor => editor.document).find(({ uri }) => uri.scheme === ANSWER_SCHEME);
    const type = async (document: vscode.TextDocument, text: string): Promise<void> => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, document.lineAt(0).text.length), text);
      await vscode.workspace.applyEdit(edit);
    };
    const tabs = (): readonly vscode.Tab[] =>
      vscode.window.tabGroups.all
        .flatMap(group => group.tabs)
        .filter(tab => tab.input instanceof vscode.TabInputText && tab.input.uri.scheme === ANSWER_SCHEME);
    const isClosed = (): boolean => tabs().length === 0;
    afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

    it('give the text as it stands when accepted, and close the tab without a question', async () => {
      const { asked, document } = await openTab('first');
      assert.equal(document.getText(), 'first');
      await type(document, ' and second');
      await vscode.commands.executeCommand('hookline.acceptAnswer');
      await answered(asked);
      assert.equal(settled.get(asked.id), 'first and second');
      await until('the tab is closed', isClosed);
    });

    it('stay open when the tab is closed, with what was typed there, which the next tab begins with', async () => {
      const { asked, document } = await openTab('first');
      await type(document, ' and second');
      assert.deepEqual(queue.typed, [{ id: asked.id, text: 'first and second', tab: 'Why this change.md' }]);
      await document.save();
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await until('the tab gave the text back', () => queue.typed.every(({ tab }) => tab === undefined));
      await staysFalse('closing the tab answered', () => settled.has(asked.id));
      assert.deepEqual(queue.typed, [{ id: asked.id, text: 'first and second' }]);
      queue.noteTyped({ id: asked.id, text: 'typed on the card' }, {});
      await vscode.commands.executeCommand('hookline.answerQuestion');
      const again = await until('there is a tab again', () => shownDocument());
      assert.equal(again.getText(), 'typed on the card');
      await vscode.commands.executeCommand('hookline.acceptAnswer');
      await answered(asked);
      assert.equal(settled.get(asked.id), 'typed on the card');
    });

    it('are answered from the card with the text in the tab', async () => {
      const { asked, document } = await openTab('first');
      await type(document, ' and second');
      await until('the text is known', () => queue.typed.some(({ text }) => text === 'first and second'));
      assert.equal(queue.answerFromTab(asked.id), true);
      await answered(asked);
      assert.equal(settled.get(asked.id), 'first and second');
      await until('the tab is closed', isClosed);
    });

    it('have one text in two tabs, until the last of them is closed', async () => {
      const { asked } = await openTab('x');
      await vscode.commands.executeCommand('workbench.action.splitEditor');
      await until('the text has two tabs', () => tabs().length === 2);
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await until('the text has one tab', () => tabs().length === 1);
      await staysFalse('the text came back', () => queue.typed.some(({ tab }) => tab === undefined));
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await until('the text came back', () => queue.typed.some(({ tab }) => tab === undefined));
      await staysFalse('closing the tabs answered', () => settled.has(asked.id));
    });

    it('stay open when the tab moves to another group', async () => {
      // Without another tab, the group that the tab leaves would close, and the tab would be in the first group again.
      await vscode.commands.executeCommand('workbench.action.files.newUntitledFile');
      await until('there is another tab', () => vscode.window.tabGroups.all.some(group => group.tabs.length > 0));
      const { asked } = await openTab('x');
      await vscode.commands.executeCommand('workbench.action.moveEditorToRightGroup');
      await until('the tab moved', () => {
        const [tab, ...rest] = tabs();
        return rest.length === 0 && tab?.group.viewColumn === vscode.ViewColumn.Two;
      });
      await staysFalse('moving the tab answered', () => settled.has(asked.id));
      await vscode.commands.executeCommand('hookline.acceptAnswer');
      await answered(asked);
      assert.equal(settled.get(asked.id), 'x');
      await until('the tab is closed', isClosed);
    });

    it('are answered, and the log says so, when the tab cannot be closed', async () => {
      const { ui } = await hookline();
      const { asked } = await openTab('x');
      const logged: string[] = [];
      const restoreLog = replace(ui.log, 'error', text => logged.push(text));
      const restoreTabs = refuseToClose();
      try {
        await vscode.commands.executeCommand('hookline.acceptAnswer');
        await answered(asked);
        await until('the log says it', () => logged.length > 0);
      } finally {
        restoreTabs();
        restoreLog();
      }
      assert.equal(settled.get(asked.id), 'x');
      assert.deepEqual(logged, ['The tab of an answer could not be closed: the tab stays']);
    });

    it('are cancelled by their own button, and close the tab', async () => {
      const { asked } = await openTab('x');
      await vscode.commands.executeCommand('hookline.discardAnswer');
      await answered(asked);
      assert.equal(settled.get(asked.id), undefined);
      await until('the tab is closed', isClosed);
    });
  });
});
