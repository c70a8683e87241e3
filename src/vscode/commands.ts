import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../base/disposable';
import { messageOf } from '../base/errors';
import type { DiffOrigin } from '../conversation/editor-port';
import { removeApiKey, setApiKey, type KeyStore } from './login/api-keys';
import { pickChange, pickTurn } from './chat/pick-change';
import { forConversations } from './chat/conversation-commands';
import { showHooks } from './pickers/hook-list';
import type { LogPanel } from './hook-log/log-panel';
import { chatTarget } from './editor-context/chat-target';
import { editorHandlers } from './editor-context/handlers';
import { targetIn, type HookTarget } from './hooks-view/hook-target';
import { hookPlace } from './hook-authoring/hook-place';
import type { CommandArguments, CommandId } from './ids';
import type { Lazy } from './lazy';
import { pickModel } from './pickers/model-picker';
import { installHookTypes, type TypesPlace } from './hook-authoring/hook-types';
import { createHook } from './hook-authoring/new-hook';
import { askForAccess, logIn, logOut } from './login/login';
import type { TreePanel } from './sessions/tree-panel';
import type { Surface } from './window/surface';
import { selectTools } from './pickers/tool-picker';
import { pickThinkingLevel } from './pickers/thinking-picker';
import type { ChatView } from './chat/chat-view';
import type { HooklineWindow } from './window/window';

export type Handlers = { readonly [Id in CommandId]: (...args: CommandArguments[Id]) => unknown };

/** What commands act on. */
export interface CommandParts {
  readonly surface: Surface;
  readonly view: ChatView;
  readonly logPanel: LogPanel;
  readonly treePanel: TreePanel;
  readonly window: Lazy<HooklineWindow>;
}

/** Registers every command of the manifest. A command that fails says so; none fails in silence. */
export function registerCommands(parts: CommandParts): Disposable {
  const store = new DisposableStore();
  for (const [id, handler] of Object.entries(handlersFor(parts))) {
    // VS Code hands over what the caller gave: handlers take nothing but what CommandArguments says, and check it.
    const run = handler as (...args: unknown[]) => unknown;
    store.add(vscode.commands.registerCommand(id, (...args: unknown[]) => guarded(parts, id, () => run(...args))));
  }
  return store;
}

function handlersFor({ surface, view, logPanel, treePanel, window }: CommandParts): Handlers {
  const { keys, log } = surface;
  const hooks = async () => (await window.get()).monitor.actions;
  const sessions = async () => (await window.get()).sessions;
  const active = async () => (await window.get()).conversations.active;
  return {
    'hookline.openChat': async () => {
      await view.focus();
      (await window.get()).conversations.active.chat.apply({ type: 'focusComposer' });
    },
    ...editorHandlers(chatTarget(view, active)),
    ...forConversations(window, view),
    'hookline.nextMessage': () => view.go('nextMessage'),
    'hookline.previousMessage': () => view.go('previousMessage'),
    'hookline.findInChat': () => view.go('find'),
    'hookline.resumeSession': async () => (await sessions()).pick(),
    'hookline.renameSession': async () => (await sessions()).rename(),
    'hookline.deleteSession': async () => (await sessions()).delete(),
    'hookline.restoreSession': async () => (await sessions()).restoreDeleted(),
    'hookline.exportSession': async () => (await sessions()).export(),
    'hookline.labelMessage': async target => (await sessions()).label(target),
    'hookline.showSessionTree': entryId => treePanel.show(textOf(entryId)),
    'hookline.stop': () => window.current?.conversations.active.stop(),
    'hookline.showChanges': async () => pickChange((await active()).changes),
    'hookline.revertToTurn': async () => pickTurn((await active()).changes),
    'hookline.acceptDiff': () => surface.proposals.accept(),
    'hookline.rejectDiff': () => surface.proposals.reject(async shows => rejectIn(await window.get(), shows)),
    'hookline.undoRevert': async () => (await active()).changes?.undoRevert(),
    'hookline.compact': async () => compact(await window.get()),
    'hookline.chooseModel': async () => chooseModel(await window.get(), keys),
    'hookline.chooseThinkingLevel': async () => pickThinkingLevel(await active()),
    'hookline.setApiKey': async provider => {
      const { models, conversations } = await window.get();
      const suggested = conversations.active.model?.provider;
      return setApiKey(keys, models, { provider: textOf(provider), suggested });
    },
    'hookline.removeApiKey': () => removeApiKey(keys),
    ...forModels(window),
    'hookline.reloadHooks': async () => (await active()).reloadHooks(),
    'hookline.approveHooks': async () => (await window.get()).approveHooks(),
    'hookline.showHooks': async () => showHooks((await window.get()).hooks.infos()),
    'hookline.runHookCommand': async (name, args) => {
      const { commandRunner } = await window.get();
      const given = textOf(name);
      return given === undefined ? commandRunner.pick() : commandRunner.run(given, textOf(args));
    },
    'hookline.openHook': async target => (await hooks()).open(targetIn(target)),
    'hookline.reloadHook': async target => (await hooks()).reload(targetIn(target)),
    'hookline.turnOffHook': async target => (await hooks()).turn(targetIn(target), 'off'),
    'hookline.turnOnHook': async target => (await hooks()).turn(targetIn(target), 'on'),
    'hookline.dryFireHook': async target => (await hooks()).dryFire(targetIn(target)),
    'hookline.copyHookRecord': async target => (await hooks()).copyRecord(targetIn(target)),
    'hookline.showHookLog': target => logPanel.show(targetIn(target)),
    'hookline.replayHooks': async target => (await window.get()).monitor.replay.start(targetIn(target)),
    'hookline.makeHookTest': async target => (await hooks()).makeTest(targetIn(target)),
    'hookline.approveHook': async target => (await hooks()).approve(targetIn(target)),
    'hookline.compareHook': async target => (await hooks()).compare(targetIn(target)),
    'hookline.exportHookLog': async () => (await window.get()).monitor.exportLog(),
    'hookline.clearHookLog': async () => (await window.get()).monitor.log.clear(),
    ...forAuthors(surface, window),
    ...forAnswering(surface),
    'hookline.manageTrust': () => vscode.commands.executeCommand('workbench.trust.manage'),
    'hookline.openFolder': () => vscode.commands.executeCommand('vscode.openFolder'),
    'hookline.showLog': () => log.show(),
  };
}

/** In the conversation that the diff was opened from, which need not be the one that is shown. */
async function rejectIn({ conversations }: HooklineWindow, shows: DiffOrigin): Promise<void> {
  const changes = conversations.find(shows.conversation)?.changes;
  if (changes === undefined) throw new Error(vscode.l10n.t('The conversation of this diff is not open any more.'));
  await changes.reject(shows);
}

/** What the agent answers with, and what it may use. */
function forModels(
  window: CommandParts['window'],
): Pick<Handlers, 'hookline.selectTools' | 'hookline.logIn' | 'hookline.logOut'> {
  const auth = async () => ({ auth: (await window.get()).models.authStorage });
  return {
    'hookline.selectTools': async () => selectTools((await window.get()).conversations.active.toolset),
    'hookline.logIn': async provider => logIn(await auth(), textOf(provider)),
    'hookline.logOut': async provider => logOut(await auth(), textOf(provider)),
  };
}

function forAnswering({
  dialogs,
}: Surface): Pick<
  Handlers,
  'hookline.answerQuestion' | 'hookline.cancelQuestion' | 'hookline.acceptAnswer' | 'hookline.discardAnswer'
> {
  return {
    'hookline.answerQuestion': () => dialogs.present(),
    'hookline.cancelQuestion': () => dialogs.cancel(),
    'hookline.acceptAnswer': () => dialogs.acceptAnswer(),
    'hookline.discardAnswer': () => dialogs.cancel(),
  };
}

type AuthorCommand =
  | 'hookline.newHook'
  | 'hookline.convertHook'
  | 'hookline.acceptConversion'
  | 'hookline.rejectConversion'
  | 'hookline.explainHook'
  | 'hookline.importShellHooks'
  | 'hookline.installHookTypes'
  | 'hookline.debugHooks';

/** What people use who write hooks. */
function forAuthors(surface: Surface, window: CommandParts['window']): Pick<Handlers, AuthorCommand> {
  const authoring = async () => (await window.get()).authoring;
  const place = (): TypesPlace => {
    const hooks = hookPlace();
    if (hooks === undefined) throw new Error(vscode.l10n.t('Open a folder first: hooks are kept in its .pi/hooks.'));
    return { ...hooks, extension: surface.place };
  };
  return {
    'hookline.newHook': template => createHook(place(), textOf(template)),
    'hookline.convertHook': async (...given) => (await authoring()).convert(askedFor(given)),
    'hookline.acceptConversion': async proposed => (await authoring()).accept(proposed),
    'hookline.rejectConversion': async proposed => (await authoring()).reject(proposed),
    'hookline.explainHook': async (...given) => (await authoring()).explain(askedFor(given)),
    'hookline.importShellHooks': async () => (await authoring()).importShellHooks(),
    'hookline.installHookTypes': () => installHookTypes(place()),
    'hookline.debugHooks': () => surface.hookDebugger.start(),
  };
}

async function chooseModel({ conversations, models }: HooklineWindow, keys: KeyStore): Promise<void> {
  const ask = (provider: string): Promise<boolean> => askForAccess(provider, keys, models.authStorage);
  await pickModel(conversations.active, models, ask);
}

/**
 * What a command that also takes the hook in the editor is about. A view hands over nothing for a row that it has just
 * drawn anew: then the person is asked, and the hook in the editor is not taken for the one they pointed at.
 */
function askedFor(given: readonly unknown[]): HookTarget | 'inEditor' | undefined {
  return given.length === 0 ? 'inEditor' : targetIn(given[0]);
}

async function compact({ conversations }: HooklineWindow): Promise<void> {
  const instructions = await vscode.window.showInputBox({
    title: vscode.l10n.t('Compact the conversation'),
    prompt: vscode.l10n.t('What the summary must not lose; may stay empty'),
  });
  if (instructions === undefined) return;
  await conversations.active.compact(instructions.trim() === '' ? undefined : instructions.trim());
}

async function guarded({ surface }: CommandParts, id: string, run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    surface.log.error(`Command ${id} failed: ${messageOf(error)}`, error);
    const showLog = vscode.l10n.t('Show Log');
    void vscode.window.showErrorMessage(messageOf(error), showLog).then(chosen => {
      if (chosen === showLog) surface.log.show();
    });
    return undefined;
  }
}

/** Menus pass things of their own (a resource, a view) where people pass nothing. */
function textOf(argument: unknown): string | undefined {
  return typeof argument === 'string' ? argument : undefined;
}
