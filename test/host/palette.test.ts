import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ChatItem } from '../../src/protocol/items/chat-item';
import {
  commandIdsOf,
  COMPANION_ID,
  contextKeyOf,
  showsExactly,
  workspaceHash,
  type PaletteCommand,
} from '../../src/vscode/palette/companion-manifest';
import type { HooklineWindow } from '../../src/vscode/window/window';
import { hookline, pressUntilOver, staysFalse, until, workspaceFolder } from './support/extension';

describe('hook commands as commands of VS Code', () => {
  const hook = join(workspaceFolder(), '.pi', 'hooks', 'zz-palette.ts');
  const hash = workspaceHash(workspaceFolder());
  let window: HooklineWindow;
  let others: readonly PaletteCommand[];

  before(async () => {
    window = await (await hookline()).window.get();
    others = window.commandRunner.list();
  });

  beforeEach(async () => {
    await window.conversations.active.conversation.sessions.newSession();
  });

  after(() => rmSync(hook, { force: true }));

  /** The companion as VS Code has it now lists exactly these commands beside those of the sample. */
  const listed = (commands: readonly PaletteCommand[]): boolean =>
    showsExactly(vscode.extensions.getExtension(COMPANION_ID)?.packageJSON, {
      hash,
      commands: [...others, ...commands],
    }) && window.palette.state === 'shown';
  const said = (text: string): boolean =>
    window.conversations.active.model.items.some(
      (item: ChatItem) => item.kind === 'notice' && item.text.includes(text),
    );
  const write = (description: string, body: string, more = ''): void => {
    writeFileSync(
      hook,
      `export default pi => {
         pi.registerCommand('zz-palette', { description: '${description}', ${more} handler: async (args, ctx) => { ${body} } });
       };\n`,
    );
  };

  it('are listed by the companion extension with the commands of the folder', async () => {
    await until('the companion is installed', () => listed([]));
    const manifest = vscode.extensions.getExtension(COMPANION_ID)?.packageJSON as {
      main?: string;
      contributes: { menus: { commandPalette: { when: string }[] } };
    };
    assert.equal(manifest.main, undefined);
    assert.deepEqual(
      [...new Set(manifest.contributes.menus.commandPalette.map(entry => entry.when))],
      [contextKeyOf(hash)],
    );
  });

  it('come with a save, run under a stable id, change their title and go', async () => {
    const [id] = commandIdsOf('zz-palette', hash);
    write('First text', "ctx.ui.notify('ran it', 'info');");
    await until('the entry is there', () => listed([{ name: 'zz-palette', description: 'First text' }]));
    await vscode.commands.executeCommand(id);
    await until('it ran, without a question', () => said('ran it'));

    write('Second text', "ctx.ui.notify('ran the second', 'info');");
    await until('the title changed', () => listed([{ name: 'zz-palette', description: 'Second text' }]));
    await vscode.commands.executeCommand(id);
    await until('the new version ran', () => said('ran the second'));

    rmSync(hook);
    await until('the entry is gone', () => listed([]));
    assert.ok(!(await vscode.commands.getCommands()).includes(id));
  });

  it('take arguments from a keybinding, and ask for them with the command’s own completions', async () => {
    const [id] = commandIdsOf('zz-palette', hash);
    write(
      'Deploys',
      "ctx.ui.notify('to <' + args + '>', 'info');",
      "getArgumentCompletions: p => ['staging', 'production'].filter(v => v.startsWith(p)).map(value => ({ value, label: value })),",
    );
    await until('the entry is there', () => listed([{ name: 'zz-palette', description: 'Deploys' }]));
    await vscode.commands.executeCommand(id, 'the moon');
    await until('the arguments of the key were used', () => said('to <the moon>'));

    const running = vscode.commands.executeCommand(id);
    await staysFalse('it ran before it was told with what', () => said('to <staging>'));
    await pressUntilOver('enter', running);
    await until('the first completion was used', () => said('to <staging>'));

    const dropped = vscode.commands.executeCommand(id);
    await staysFalse('it ran unasked', () => said('to <>'));
    await pressUntilOver('escape', dropped);
    assert.ok(!said('to <>'));
  });

  it('install nothing again when a save changes no command', async () => {
    rmSync(hook, { force: true });
    await until('only the sample is left', () => listed([]));
    let changes = 0;
    const subscription = vscode.extensions.onDidChange(() => (changes += 1));
    writeFileSync(hook, "export default pi => { pi.on('turn_start', () => {}); };\n");
    await until('the hook is live', () => window.hooks.infos().some(info => info.path === hook));
    await staysFalse('an extension was installed', () => changes > 0);
    subscription.dispose();
  });
});
