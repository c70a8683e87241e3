import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { Chat } from '../../src/chat/chat';
import type { Conversations } from '../../src/chat/window/conversations';
import { hookline, toolsAreOver, until } from './support/extension';
import { Messages } from './support/messages';

describe('ending a conversation', () => {
  let conversations: Conversations;
  let warnings: Messages | undefined;
  let infos: Messages | undefined;

  before(async () => {
    ({ conversations } = await (await hookline()).window.get());
    await conversations.newSession();
  });

  afterEach(async () => {
    warnings?.restore();
    infos?.restore();
    for (const { id } of conversations.all.slice(1)) await conversations.close(id);
    conversations.active.composer.clear();
    await toolsAreOver();
  });

  const warned = (...answers: (string | undefined)[]): Messages =>
    (warnings = new Messages('showWarningMessage', answers));
  const told = (...answers: (string | undefined)[]): Messages =>
    (infos = new Messages('showInformationMessage', answers));
  const run = (command: string): Thenable<unknown> => vscode.commands.executeCommand(command);
  const isOpen = (chat: Chat): boolean => conversations.all.includes(chat);
  /** A conversation beside the first one, with a session in a file. */
  async function beside(text: string): Promise<{ readonly conversation: Chat; readonly file: string }> {
    await conversations.openBeside();
    const conversation = conversations.active;
    await conversation.submit(text);
    await conversation.conversation.store.flush();
    const file = conversation.conversation.store.getSessionFile();
    assert.ok(file !== undefined && existsSync(file));
    return { conversation, file };
  }

  it('asks in front of everything while it is at work, and lets it go on', async () => {
    await conversations.openBeside();
    const conversation = conversations.active;
    const running = conversation.submit('run `sleep 30`');
    await until('the tool runs', () =>
      conversation.model.items.some(item => item.kind === 'tool' && item.state.type === 'running'),
    );
    const { shown } = warned(undefined, 'Stop and Close');
    await run('hookline.closeConversation');
    assert.match(shown[0]?.text ?? '', /still running\. Stop and close it\?/);
    assert.deepEqual([shown[0]?.modal, shown[0]?.actions], [true, ['Stop and Close']]);
    assert.ok(isOpen(conversation) && !conversation.conversation.run.isIdle);
    await run('hookline.closeConversation');
    await running;
    assert.equal(isOpen(conversation), false);
  });

  it('asks before a draft is lost with it', async () => {
    await conversations.openBeside();
    const conversation = conversations.active;
    conversation.composer.text = 'a long thought';
    const { shown } = warned(undefined, 'Discard and Close');
    await run('hookline.closeConversation');
    assert.match(shown[0]?.text ?? '', /unsent draft/);
    assert.deepEqual([shown[0]?.modal, shown[0]?.detail], [true, 'a long thought']);
    assert.equal(conversation.composer.text, 'a long thought');
    await run('hookline.closeConversation');
    assert.equal(isOpen(conversation), false);
  });

  it('by deleting its session closes it, and undoing that shows it again', async () => {
    const { conversation, file } = await beside('one that is deleted');
    const { shown } = told('Undo');
    await run('hookline.deleteSession');
    await until('the question is answered', () => shown.length > 0);
    assert.match(shown[0]?.text ?? '', /was deleted\./);
    assert.equal(isOpen(conversation), false);
    await until('it is shown again', () => conversations.active.conversation.store.getSessionFile() === file);
    assert.ok(existsSync(file));
    assert.match(JSON.stringify(conversations.active.conversation.run.agent.messages), /one that is deleted/);
  });

  it('by deleting its session asks while it is at work, and moves the file away only then', async () => {
    const { conversation, file } = await beside('run `echo first`');
    const running = conversation.submit('run `sleep 30`');
    await until('the tool runs', () =>
      conversation.model.items.some(item => item.kind === 'tool' && item.state.type === 'running'),
    );
    const { shown } = warned(undefined, 'Stop and Delete');
    told();
    await run('hookline.deleteSession');
    assert.match(shown[0]?.text ?? '', /Stop and delete it\?/);
    assert.ok(existsSync(file) && isOpen(conversation));
    await run('hookline.deleteSession');
    await running;
    assert.equal(existsSync(file), false);
    assert.equal(isOpen(conversation), false);
  });

  it('that is the only one begins a new session where its own is deleted', async () => {
    const only = conversations.active;
    await only.submit('the only one');
    await only.conversation.store.flush();
    const file = only.conversation.store.getSessionFile() ?? '';
    const { shown } = told();
    await run('hookline.deleteSession');
    assert.match(shown[0]?.text ?? '', /was deleted/);
    assert.equal(existsSync(file), false);
    assert.deepEqual([conversations.all, only.conversation.run.agent.messages.length], [[only], 0]);
  });
});
