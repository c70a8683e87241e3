import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Chat } from '../../chat/chat';
import type { Conversation } from '../../session/conversation';
import type { SessionChanges } from '../../chat/changes/session-changes';
import type { DiffOrigin } from '../../chat/editor/editor-port';
import { showDoctor } from './show-doctor';
import type { CommandHandlers, CommandParts } from './command-arguments';
import { addFileToContext, addTerminalSelection, sendSelection } from '../editor-context/add-context';
import { chatTarget } from '../editor-context/chat-target';
import { askAboutProblem } from '../editor-context/problem-actions';
import { askAboutSelection, type SelectionRequest } from '../editor-context/selection-actions';
import { currentAgentDir, hookPlace } from '../hook-authoring/hook-place';
import { installHookTypes, type TypesPlace } from '../hook-authoring/hook-types';
import { addExampleHook, type ExamplePlaces } from '../hook-authoring/add-example';
import { createHook } from '../hook-authoring/new-hook';
import { removeApiKey, setApiKey, notifyKeySaved } from '../login/api-keys';
import { askForAccess, logInToProvider, logOut } from '../login/login';
import { addModelServer } from '../pickers/add-model-server';
import { pickChange, pickTurn } from '../pickers/change-picker';
import { pickConversation } from '../pickers/conversation-picker';
import { FavoriteModels } from '../pickers/favorite-models';
import { showHooks } from '../pickers/hook-list';
import { goToModel, pickModel, pickThinkingLevel, type AskForAccess } from '../pickers/model-picker';
import { pickModelScope } from '../pickers/scope-picker';
import { nextApprovalMode, pickApprovalMode } from '../pickers/approval-mode-picker';
import { showRules } from '../pickers/rule-list';
import { selectTools } from '../pickers/tool-picker';
import { pickTrust } from '../pickers/trust-picker';
import { chooseFolder, workFolder } from '../window/work-folder';
import type { HooklineWindow } from '../window/window';

/** VS Code's id of the "Get Started" tour. */
const WALKTHROUGH = 'hookline.hookline#hookline.start';

/** The handler of each command. This file is loaded when the first command runs, because most windows run none. */
export function handlersOf(parts: CommandParts): CommandHandlers {
  return {
    ...chatCommands(parts),
    ...conversationCommands(parts),
    ...sessionCommands(parts),
    ...changeCommands(parts),
    ...modelCommands(parts),
    ...hookCommands(parts),
    ...authorCommands(parts),
    ...reviewCommands(parts),
    ...packageCommands(parts),
    ...mcpCommands(parts),
    ...guardCommands(parts),
    ...questionCommands(parts),
    ...otherCommands(parts),
  };
}

async function activeChat({ window }: CommandParts): Promise<Chat> {
  return (await window.get()).conversations.active;
}

async function activeIn(parts: CommandParts): Promise<Conversation> {
  return (await activeChat(parts)).conversation;
}

function chatCommands(parts: CommandParts) {
  const { view, editors, ui } = parts;
  const chat = chatTarget(editors);
  const folder = (): string | undefined => workFolder(ui.workspaceMemory)?.uri.fsPath;
  const askAbout = (request: 'explain' | 'fix', uri: unknown, problem: unknown): Promise<void> =>
    askAboutProblem(request, { chat, folder: folder() }, uri, problem);
  const askSelection = (request: SelectionRequest): Promise<void> =>
    askAboutSelection(request, { chat, folder: folder() });
  return {
    'hookline.openChat': async () => (await view.focus())?.go('composer'),
    'hookline.openChatInEditor': async target => {
      await editors.open(conversationIn(target));
    },
    'hookline.focusInput': () => chat.focus(),
    'hookline.sendSelection': () => sendSelection(chat, workFolder(ui.workspaceMemory)),
    'hookline.explainSelection': () => askSelection('explain'),
    'hookline.fixSelection': () => askSelection('fix'),
    'hookline.testSelection': () => askSelection('writeTests'),
    'hookline.explainProblem': (uri, problem) => askAbout('explain', uri, problem),
    'hookline.fixProblem': (uri, problem) => askAbout('fix', uri, problem),
    'hookline.addFileToContext': (one, all) => addFileToContext(chat, one, all),
    'hookline.addTerminalSelection': () => addTerminalSelection(chat),
    'hookline.tryPrompt': text => (text === undefined ? chat.focus() : chat.insert(text)),
    'hookline.nextMessage': () => editors.go('nextMessage'),
    'hookline.previousMessage': () => editors.go('previousMessage'),
    'hookline.findInChat': () => editors.go('find'),
    'hookline.showContext': () => editors.go('context'),
  } satisfies Partial<CommandHandlers>;
}

function conversationCommands(parts: CommandParts) {
  const { view, editors, window } = parts;
  const all = async () => (await window.get()).conversations;
  return {
    'hookline.newSession': async () => {
      await (await all()).newSession();
      await editors.focus();
    },
    'hookline.newConversation': async () => {
      await (await all()).openBeside();
      await view.focus();
    },
    'hookline.switchConversation': async () => {
      const id = await pickConversation((await all()).tabs);
      if (id !== undefined) await editors.reveal(id);
    },
    'hookline.nextConversation': async () => (await all()).step(1),
    'hookline.previousConversation': async () => (await all()).step(-1),
    'hookline.closeConversation': async () => {
      const conversations = await all();
      const { id } = conversations.active;
      if (await conversations.mayEnd(id, 'close')) await conversations.close(id);
    },
    'hookline.stop': () => window.current?.conversations.active.conversation.run.stop(),
    'hookline.stopShownCommand': () => parts.ui.commandTerminals.stopActive(),
    'hookline.compact': async () => compact(await activeIn(parts)),
  } satisfies Partial<CommandHandlers>;
}

function sessionCommands({ treePanel, window }: CommandParts) {
  const sessions = async () => (await window.get()).sessions;
  const rows = async () => (await window.get()).sessionActions;
  return {
    'hookline.resumeSession': async search => (await sessions()).pick(search),
    'hookline.renameSession': async () => (await sessions()).rename(),
    'hookline.deleteSession': async () => (await sessions()).delete(),
    'hookline.restoreSession': async () => (await sessions()).restoreDeleted(),
    'hookline.exportSession': async () => (await sessions()).export(),
    'hookline.openSession': async row => (await rows()).open(row),
    'hookline.openSessionInEditor': async row => (await rows()).openInEditor(row),
    'hookline.renameListedSession': async row => (await rows()).rename(row),
    'hookline.exportListedSession': async row => (await rows()).export(row),
    'hookline.deleteListedSession': async row => (await rows()).delete(row),
    'hookline.searchSessions': async () => (await sessions()).pick(),
    'hookline.labelMessage': async target => (await sessions()).label(target),
    'hookline.showSessionTree': entryId => treePanel.show(entryId),
  } satisfies Partial<CommandHandlers>;
}

function changeCommands(parts: CommandParts) {
  const { proposals, writeDiffs } = parts.ui;
  const changesIn = async (shows: DiffOrigin) => changesOf(await parts.window.get(), shows);
  return {
    'hookline.showChanges': async () => pickChange((await activeChat(parts)).changes),
    'hookline.reviewAllChanges': async () => (await activeChat(parts)).changes.reviewAll(),
    'hookline.revertToTurn': async () => pickTurn((await activeChat(parts)).changes),
    'hookline.undoRevert': async () => (await activeChat(parts)).changes.undoRevert(),
    'hookline.acceptDiff': async () => {
      if (await writeDiffs.approveShown()) return;
      await proposals.accept(async shows => (await changesIn(shows)).keep(shows));
    },
    'hookline.rejectDiff': async () => {
      if (await writeDiffs.rejectShown()) return;
      await proposals.reject(async shows => (await changesIn(shows)).reject(shows));
    },
  } satisfies Partial<CommandHandlers>;
}

/** Commands for the model, its tools, approvals and access to providers. */
function modelCommands(parts: CommandParts) {
  const { keys } = parts.ui;
  const models = async () => (await parts.window.get()).models;
  return {
    'hookline.chooseModel': async search => {
      const registry = await models();
      const ask: AskForAccess = provider => askForAccess(provider, keys, registry);
      const { localServers: local } = await parts.window.get();
      const favorites = new FavoriteModels(parts.ui.userMemory);
      await pickModel(await activeIn(parts), registry, { ask, search, local, favorites });
    },
    'hookline.addModelServer': async () => {
      const { models: registry, agentDir } = await parts.window.get();
      await addModelServer({ models: registry, keys, agentDir });
    },
    'hookline.chooseThinkingLevel': async () => pickThinkingLevel(await activeChat(parts)),
    'hookline.nextModel': async () => goToModel(await activeIn(parts), 1),
    'hookline.previousModel': async () => goToModel(await activeIn(parts), -1),
    'hookline.chooseScopedModels': async () => pickModelScope((await parts.window.get()).scope),
    'hookline.selectTools': async () => selectTools((await activeIn(parts)).toolset),
    'hookline.chooseApprovalMode': async () => pickApprovalMode(await activeIn(parts)),
    'hookline.nextApprovalMode': async () => nextApprovalMode(await activeIn(parts)),
    'hookline.approvalRules': async () => showRules((await parts.window.get()).approvalRules),
    'hookline.logIn': async provider => logInToProvider({ auth: (await models()).authStorage }, provider),
    'hookline.logOut': async provider => logOut({ auth: (await models()).authStorage }, provider),
    'hookline.setApiKey': async provider => {
      const { models: choice, state } = await activeIn(parts);
      const registry = await models();
      const saved = await setApiKey(keys, registry, { provider, suggested: state.model?.provider });
      if (saved === undefined) return;
      await choice.modelsChanged();
      void notifyKeySaved(saved, registry.getProviderDisplayName(saved), state.model?.name);
    },
    'hookline.removeApiKey': async () => removeApiKey(keys, await models()),
  } satisfies Partial<CommandHandlers>;
}

function hookCommands(parts: CommandParts) {
  const window = () => parts.window.get();
  const actions = async () => (await window()).monitor.actions;
  return {
    'hookline.reloadHooks': async () => (await activeIn(parts)).forHooks.reload(),
    'hookline.approveHooks': async () => (await window()).approveHooks(),
    'hookline.showHooks': async () => showHooks([...(await window()).hooks.infos(), ...(await window()).hooks.builtIn]),
    'hookline.runHookCommand': async (name, args) => {
      const { commandRunner } = await window();
      return name === undefined ? commandRunner.pick() : commandRunner.run(name, args);
    },
    'hookline.addHookCommands': async () => (await window()).palette.add(),
    'hookline.removeHookCommands': async () => (await window()).palette.remove(),
    'hookline.openHook': async target => (await actions()).open(target),
    'hookline.reloadHook': async target => (await actions()).reload(target),
    'hookline.turnOffHook': async target => (await actions()).turn(target, 'off'),
    'hookline.turnOnHook': async target => (await actions()).turn(target, 'on'),
    'hookline.dryFireHook': async target => (await actions()).testWithEvent(target),
    'hookline.copyHookRecord': async target => (await actions()).copyRecord(target),
    'hookline.makeHookTest': async target => (await actions()).makeTest(target),
    'hookline.reviewHeldFiles': async () => (await window()).reviewHeldFiles(),
    'hookline.reviewUnfinishedWrites': async () => (await window()).reviewUnfinishedWrites(),
    'hookline.approveHook': async target => (await actions()).approve(target),
    'hookline.rejectHook': async target => (await actions()).reject(target),
    'hookline.runHookAgain': async target => (await actions()).runAgain(target),
    'hookline.compareHook': async target => (await actions()).compare(target),
    'hookline.replayHooks': async target => (await window()).monitor.replay.start(target),
    'hookline.showHookLog': target => parts.logPanel.show(target),
    'hookline.exportHookLog': async () => (await window()).monitor.exportLog(),
    'hookline.clearHookLog': async () => (await window()).monitor.log.clear(),
  } satisfies Partial<CommandHandlers>;
}

/** Commands for users who write hooks. */
function authorCommands({ ui, window }: CommandParts) {
  const authoring = async () => (await window.get()).authoring;
  const place = (): TypesPlace => {
    const hooks = hookPlace(workFolder(ui.workspaceMemory));
    if (hooks === undefined) {
      throw new Error(vscode.l10n.t('Open a folder first. Hookline stores hooks in its .pi/hooks folder.'));
    }
    return { ...hooks, extensionDir: ui.place.dir };
  };
  const examplePlaces = (): ExamplePlaces => ({
    examplesDir: join(ui.place.dir, 'dist', 'examples'),
    folder: workFolder(ui.workspaceMemory)?.uri.fsPath,
    agentDir: currentAgentDir(),
  });
  /** Loads a hook that a command has just written; the user asked for it, so it needs no approval. */
  const live = async (file: string | undefined): Promise<void> => {
    if (file === undefined) return;
    const { hooks, refresh } = await window.get();
    hooks.savedInEditor(file);
    await refresh();
  };
  return {
    'hookline.newHook': async template => live(await createHook(place(), template)),
    'hookline.addExampleHook': async () => live(await addExampleHook(examplePlaces(), ui.texts)),
    'hookline.convertHook': async target => (await authoring()).convert(target),
    'hookline.explainHook': async target => (await authoring()).explain(target),
    'hookline.importShellHooks': async () => live(await (await authoring()).importShellHooks()),
    'hookline.installHookTypes': () => installHookTypes(place()),
    'hookline.debugHooks': () => ui.hookDebugger.start(),
  } satisfies Partial<CommandHandlers>;
}

function packageCommands({ window }: CommandParts) {
  const actions = async () => (await window.get()).packages;
  return {
    'hookline.installPackage': async typed => (await actions()).install(typed),
    'hookline.updatePackage': async node => (await actions()).update(node),
    'hookline.updatePackages': async () => (await actions()).updateAll(),
    'hookline.removePackage': async node => (await actions()).remove(node),
    'hookline.checkPackageUpdates': async () => (await actions()).check(),
    'hookline.turnOffPackagePart': async node => (await actions()).turn(node, 'off'),
    'hookline.turnOnPackagePart': async node => (await actions()).turn(node, 'on'),
    'hookline.openPackageChangelog': async node => (await actions()).openChangelog(node),
    'hookline.openPackageFolder': async node => (await actions()).openFolder(node),
  } satisfies Partial<CommandHandlers>;
}

function reviewCommands({ window }: CommandParts) {
  const reviewer = async () => (await window.get()).packageReviewer;
  return {
    'hookline.reviewPackages': async () => (await reviewer()).reviewAll(),
    'hookline.previewPackage': async node => (await reviewer()).show(node),
    'hookline.turnOffPackage': async node => (await reviewer()).turn(node, 'off'),
    'hookline.turnOnPackage': async node => (await reviewer()).turn(node, 'on'),
  } satisfies Partial<CommandHandlers>;
}

function mcpCommands({ window }: CommandParts) {
  const actions = async () => (await window.get()).mcpActions;
  return {
    'hookline.addMcpServer': async () => (await actions()).add(),
    'hookline.removeMcpServer': async node => (await actions()).remove(node),
    'hookline.restartMcpServer': async node => (await actions()).restart(node),
    'hookline.logInMcpServer': async node => (await actions()).logIn(node),
    'hookline.logOutMcpServer': async node => (await actions()).logOut(node),
    'hookline.turnOffMcpServer': async node => (await actions()).turn(node, 'off'),
    'hookline.turnOnMcpServer': async node => (await actions()).turn(node, 'on'),
    'hookline.exposeMcpServer': async node => (await actions()).expose(node),
    'hookline.showMcpOutput': async node => (await actions()).showOutput(node),
    'hookline.openMcpConfiguration': async node => (await actions()).openConfiguration(node),
  } satisfies Partial<CommandHandlers>;
}

function guardCommands({ window }: CommandParts) {
  const setup = async () => (await window.get()).guard.setup();
  return {
    'hookline.guardAgents': async () => (await setup()).add(),
    'hookline.stopGuardingAgents': async () => (await setup()).remove(),
  } satisfies Partial<CommandHandlers>;
}

function questionCommands({ ui: { dialogs }, window }: CommandParts) {
  return {
    'hookline.answerQuestion': async id =>
      id === undefined && dialogs.waiting !== undefined ? dialogs.present() : (await window.get()).guard.answer(id),
    'hookline.reviewWrite': id => dialogs.review(id),
    'hookline.cancelQuestion': () => dialogs.cancel(),
    'hookline.leaveQuestion': () => dialogs.escape(),
    'hookline.chooseAnswer': () => dialogs.enter(),
    'hookline.acceptAnswer': () => dialogs.acceptAnswer(),
    'hookline.discardAnswer': () => dialogs.escape(),
  } satisfies Partial<CommandHandlers>;
}

function otherCommands({ ui: { log, place, workspaceMemory }, window }: CommandParts) {
  const run = vscode.commands.executeCommand;
  return {
    'hookline.decideTrust': async () => {
      const { trustPick } = await window.get();
      await (trustPick === undefined ? run('workbench.trust.manage') : pickTrust(trustPick));
    },
    'hookline.chooseFolder': () => chooseFolder(workspaceMemory),
    'hookline.getStarted': () => run('workbench.action.openWalkthrough', WALKTHROUGH, false),
    'hookline.manageTrust': () => run('workbench.trust.manage'),
    'hookline.openFolder': () => run('vscode.openFolder'),
    'hookline.showDoctor': () => {
      const folder = workFolder(workspaceMemory)?.uri.fsPath;
      return showDoctor({ dir: place.dir, agentDir: currentAgentDir(), folder });
    },
    'hookline.showLog': () => {
      log.info('For a report about this machine and folder, run "Hookline: Doctor".');
      log.show();
    },
  } satisfies Partial<CommandHandlers>;
}

/** Rejects a change in the conversation that the diff was opened from, which may not be the one that is shown. */
function changesOf({ conversations }: HooklineWindow, { conversation }: DiffOrigin): SessionChanges {
  const changes = conversations.find(conversation)?.changes;
  if (changes === undefined) throw new Error(vscode.l10n.t('The conversation of this diff is not open any more.'));
  return changes;
}

async function compact(conversation: Conversation): Promise<void> {
  const instructions = await vscode.window.showInputBox({
    title: vscode.l10n.t('Compact the conversation'),
    prompt: vscode.l10n.t('What the summary must keep (optional)'),
  });
  if (instructions === undefined) return;
  await conversation.run.compact(instructions.trim() === '' ? undefined : instructions.trim());
}

/** The id of the conversation that a menu was opened on; undefined for the active one. */
function conversationIn(target: unknown): string | undefined {
  const id =
    typeof target === 'object' && target !== null && 'conversation' in target ? target.conversation : undefined;
  return typeof id === 'string' ? id : undefined;
}
