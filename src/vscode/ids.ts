/**
 * Every name that package.json and the code share: commands, views, settings, context keys.
 * This file does not import `vscode`, so that a unit test can compare it with package.json.
 */

import { USUAL_PORTS } from '../agent/models/servers/usual-ports';

/** `publisher.name` of package.json. */
export const EXTENSION_ID = 'hookline.hookline';

/** Containers of the views: `chat` is in the secondary side bar, `hooks` has an icon in the activity bar. */
export const CONTAINERS = { chat: 'hooklineChat', hooks: 'hookline' } as const;

export const VIEWS = {
  chat: 'hookline.chat',
  hooks: 'hookline.hooks',
  sessions: 'hookline.sessions',
  packages: 'hookline.packages',
  mcp: 'hookline.mcp',
} as const;

/** Type of the editor tabs that show conversations. */
export const CHAT_PANEL = 'hookline.chatEditor';
/** Type of the editor tab that shows the hook log. */
export const LOG_PANEL = 'hookline.hookLog';
/** Type of the editor tab that shows a replay. */
export const REPLAY_PANEL = 'hookline.hookReplay';

/** Type of the editor tab that draws a session's tree. */
export const TREE_PANEL = 'hookline.sessionTree';

interface CommandRow {
  readonly listed: 'palette' | 'conditional';
  readonly takes: 'nothing' | 'text' | 'texts' | 'hook' | 'hookOrEditor' | 'anything';
}

/**
 * One row per command. package.json and docs/commands.md repeat the commands, and tests compare them with this table.
 * `listed`: `palette` is always in the Command Palette, `conditional` only while its `when` clause is true. `takes`: the
 * arguments that callers may pass (the Command Palette passes none). `hook` is what a row of the Hooks view or a lens
 * passes; `hookOrEditor` is the same, or the hook in the editor when nothing is passed; the handler itself checks `anything`.
 */
export const COMMANDS = {
  'hookline.openChat': { listed: 'palette', takes: 'nothing' },
  'hookline.openChatInEditor': { listed: 'palette', takes: 'anything' },
  'hookline.focusInput': { listed: 'palette', takes: 'nothing' },
  'hookline.sendSelection': { listed: 'conditional', takes: 'nothing' },
  'hookline.explainSelection': { listed: 'conditional', takes: 'nothing' },
  'hookline.fixSelection': { listed: 'conditional', takes: 'nothing' },
  'hookline.testSelection': { listed: 'conditional', takes: 'nothing' },
  'hookline.explainProblem': { listed: 'conditional', takes: 'anything' },
  'hookline.fixProblem': { listed: 'conditional', takes: 'anything' },
  'hookline.addFileToContext': { listed: 'palette', takes: 'anything' },
  'hookline.addTerminalSelection': { listed: 'conditional', takes: 'nothing' },
  'hookline.getStarted': { listed: 'palette', takes: 'nothing' },
  'hookline.tryPrompt': { listed: 'conditional', takes: 'text' },
  'hookline.nextMessage': { listed: 'palette', takes: 'nothing' },
  'hookline.previousMessage': { listed: 'palette', takes: 'nothing' },
  'hookline.findInChat': { listed: 'palette', takes: 'nothing' },
  'hookline.showContext': { listed: 'palette', takes: 'nothing' },
  'hookline.newSession': { listed: 'palette', takes: 'nothing' },
  'hookline.newConversation': { listed: 'palette', takes: 'nothing' },
  'hookline.switchConversation': { listed: 'conditional', takes: 'nothing' },
  'hookline.nextConversation': { listed: 'conditional', takes: 'nothing' },
  'hookline.previousConversation': { listed: 'conditional', takes: 'nothing' },
  'hookline.closeConversation': { listed: 'conditional', takes: 'nothing' },
  'hookline.resumeSession': { listed: 'palette', takes: 'text' },
  'hookline.renameSession': { listed: 'palette', takes: 'nothing' },
  'hookline.deleteSession': { listed: 'palette', takes: 'nothing' },
  'hookline.restoreSession': { listed: 'palette', takes: 'nothing' },
  'hookline.exportSession': { listed: 'palette', takes: 'nothing' },
  'hookline.openSession': { listed: 'conditional', takes: 'anything' },
  'hookline.openSessionInEditor': { listed: 'conditional', takes: 'anything' },
  'hookline.renameListedSession': { listed: 'conditional', takes: 'anything' },
  'hookline.exportListedSession': { listed: 'conditional', takes: 'anything' },
  'hookline.deleteListedSession': { listed: 'conditional', takes: 'anything' },
  'hookline.searchSessions': { listed: 'conditional', takes: 'nothing' },
  'hookline.labelMessage': { listed: 'palette', takes: 'anything' },
  'hookline.showSessionTree': { listed: 'palette', takes: 'text' },
  'hookline.stop': { listed: 'palette', takes: 'nothing' },
  'hookline.stopShownCommand': { listed: 'conditional', takes: 'nothing' },
  'hookline.compact': { listed: 'palette', takes: 'nothing' },
  'hookline.showChanges': { listed: 'palette', takes: 'nothing' },
  'hookline.reviewAllChanges': { listed: 'palette', takes: 'nothing' },
  'hookline.revertToTurn': { listed: 'palette', takes: 'nothing' },
  'hookline.undoRevert': { listed: 'palette', takes: 'nothing' },
  'hookline.chooseModel': { listed: 'palette', takes: 'text' },
  'hookline.addModelServer': { listed: 'palette', takes: 'nothing' },
  'hookline.chooseThinkingLevel': { listed: 'palette', takes: 'nothing' },
  'hookline.nextModel': { listed: 'palette', takes: 'nothing' },
  'hookline.previousModel': { listed: 'palette', takes: 'nothing' },
  'hookline.chooseScopedModels': { listed: 'palette', takes: 'nothing' },
  'hookline.selectTools': { listed: 'palette', takes: 'nothing' },
  'hookline.chooseApprovalMode': { listed: 'palette', takes: 'nothing' },
  'hookline.nextApprovalMode': { listed: 'palette', takes: 'nothing' },
  'hookline.approvalRules': { listed: 'palette', takes: 'nothing' },
  'hookline.logIn': { listed: 'palette', takes: 'text' },
  'hookline.logOut': { listed: 'palette', takes: 'text' },
  'hookline.setApiKey': { listed: 'palette', takes: 'text' },
  'hookline.removeApiKey': { listed: 'palette', takes: 'nothing' },
  'hookline.reloadHooks': { listed: 'palette', takes: 'nothing' },
  'hookline.approveHooks': { listed: 'conditional', takes: 'nothing' },
  'hookline.reviewHeldFiles': { listed: 'palette', takes: 'nothing' },
  'hookline.reviewUnfinishedWrites': { listed: 'palette', takes: 'nothing' },
  'hookline.showHooks': { listed: 'palette', takes: 'nothing' },
  'hookline.runHookCommand': { listed: 'palette', takes: 'texts' },
  'hookline.addHookCommands': { listed: 'conditional', takes: 'nothing' },
  'hookline.removeHookCommands': { listed: 'conditional', takes: 'nothing' },
  'hookline.openHook': { listed: 'conditional', takes: 'hook' },
  'hookline.reloadHook': { listed: 'conditional', takes: 'hook' },
  'hookline.turnOffHook': { listed: 'conditional', takes: 'hook' },
  'hookline.turnOnHook': { listed: 'conditional', takes: 'hook' },
  'hookline.dryFireHook': { listed: 'conditional', takes: 'hook' },
  'hookline.copyHookRecord': { listed: 'conditional', takes: 'hook' },
  'hookline.showHookLog': { listed: 'palette', takes: 'hook' },
  'hookline.exportHookLog': { listed: 'palette', takes: 'nothing' },
  'hookline.replayHooks': { listed: 'conditional', takes: 'hook' },
  'hookline.makeHookTest': { listed: 'conditional', takes: 'hook' },
  'hookline.approveHook': { listed: 'conditional', takes: 'hook' },
  'hookline.rejectHook': { listed: 'conditional', takes: 'hook' },
  'hookline.runHookAgain': { listed: 'conditional', takes: 'hook' },
  'hookline.compareHook': { listed: 'conditional', takes: 'hook' },
  'hookline.clearHookLog': { listed: 'palette', takes: 'nothing' },
  'hookline.newHook': { listed: 'palette', takes: 'text' },
  'hookline.addExampleHook': { listed: 'palette', takes: 'nothing' },
  'hookline.convertHook': { listed: 'conditional', takes: 'hookOrEditor' },
  'hookline.explainHook': { listed: 'conditional', takes: 'hookOrEditor' },
  'hookline.importShellHooks': { listed: 'palette', takes: 'nothing' },
  'hookline.guardAgents': { listed: 'palette', takes: 'nothing' },
  'hookline.stopGuardingAgents': { listed: 'palette', takes: 'nothing' },
  'hookline.installHookTypes': { listed: 'palette', takes: 'nothing' },
  'hookline.debugHooks': { listed: 'palette', takes: 'nothing' },
  'hookline.installPackage': { listed: 'palette', takes: 'text' },
  'hookline.updatePackage': { listed: 'conditional', takes: 'anything' },
  'hookline.updatePackages': { listed: 'conditional', takes: 'nothing' },
  'hookline.removePackage': { listed: 'conditional', takes: 'anything' },
  'hookline.checkPackageUpdates': { listed: 'conditional', takes: 'nothing' },
  'hookline.turnOffPackagePart': { listed: 'conditional', takes: 'anything' },
  'hookline.turnOnPackagePart': { listed: 'conditional', takes: 'anything' },
  'hookline.openPackageChangelog': { listed: 'conditional', takes: 'anything' },
  'hookline.openPackageFolder': { listed: 'conditional', takes: 'anything' },
  'hookline.reviewPackages': { listed: 'conditional', takes: 'nothing' },
  'hookline.previewPackage': { listed: 'conditional', takes: 'anything' },
  'hookline.turnOffPackage': { listed: 'conditional', takes: 'anything' },
  'hookline.turnOnPackage': { listed: 'conditional', takes: 'anything' },
  'hookline.answerQuestion': { listed: 'conditional', takes: 'text' },
  'hookline.reviewWrite': { listed: 'conditional', takes: 'text' },
  'hookline.cancelQuestion': { listed: 'conditional', takes: 'nothing' },
  'hookline.leaveQuestion': { listed: 'conditional', takes: 'nothing' },
  'hookline.chooseAnswer': { listed: 'conditional', takes: 'nothing' },
  'hookline.acceptAnswer': { listed: 'conditional', takes: 'nothing' },
  'hookline.discardAnswer': { listed: 'conditional', takes: 'nothing' },
  'hookline.acceptDiff': { listed: 'conditional', takes: 'nothing' },
  'hookline.rejectDiff': { listed: 'conditional', takes: 'nothing' },
  'hookline.manageTrust': { listed: 'conditional', takes: 'nothing' },
  'hookline.decideTrust': { listed: 'palette', takes: 'nothing' },
  'hookline.chooseFolder': { listed: 'conditional', takes: 'nothing' },
  'hookline.openFolder': { listed: 'conditional', takes: 'nothing' },
  'hookline.addMcpServer': { listed: 'palette', takes: 'nothing' },
  'hookline.removeMcpServer': { listed: 'conditional', takes: 'anything' },
  'hookline.restartMcpServer': { listed: 'conditional', takes: 'anything' },
  'hookline.logInMcpServer': { listed: 'conditional', takes: 'anything' },
  'hookline.logOutMcpServer': { listed: 'conditional', takes: 'anything' },
  'hookline.turnOffMcpServer': { listed: 'conditional', takes: 'anything' },
  'hookline.turnOnMcpServer': { listed: 'conditional', takes: 'anything' },
  'hookline.exposeMcpServer': { listed: 'conditional', takes: 'anything' },
  'hookline.showMcpOutput': { listed: 'conditional', takes: 'anything' },
  'hookline.openMcpConfiguration': { listed: 'palette', takes: 'anything' },
  'hookline.showDoctor': { listed: 'palette', takes: 'nothing' },
  'hookline.showLog': { listed: 'palette', takes: 'nothing' },
} as const satisfies Readonly<Record<`hookline.${string}`, CommandRow>>;

export type CommandId = keyof typeof COMMANDS;

/** Context keys for `when` clauses, with the type of their values. */
export interface ContextKeys {
  /** The agent of the active conversation is running. */
  readonly 'hookline.running': boolean;
  /** The chat's page has the keyboard focus. VS Code's own `focusedView` is empty while a page inside of a view has it. */
  readonly 'hookline.chatFocused': boolean;
  /** The user went to a conversation in an editor tab last: commands are about it, and not about that in the side bar. */
  readonly 'hookline.chatInTab': boolean;
  /** A hook waits for an answer. */
  readonly 'hookline.asking': boolean;
  /** The question that waits is about a write, which a diff can show. */
  readonly 'hookline.askingAboutWrite': boolean;
  /** A hook in a folder that no window has open waits for an answer, which this window offers. */
  readonly 'hookline.askingElsewhere': boolean;
  /** A pick or input box shows a question. */
  readonly 'hookline.questionShown': boolean;
  /** A pick shows a question, and Hookline handles the Enter key in it. */
  readonly 'hookline.choosing': boolean;
  /** The active tab is a diff of Hookline: a proposal, a write that waits for an answer, or a change of the agent. */
  readonly 'hookline.diffShown': boolean;
  /** A model has answered in this window. */
  readonly 'hookline.asked': boolean;
  /** The current version of at least one hook runs. */
  readonly 'hookline.hasHook': boolean;
  /** There is at least one hook file, whether or not it runs. */
  readonly 'hookline.hasHookFiles': boolean;
  /** A changed hook waits for approval. */
  readonly 'hookline.hasHeldChanges': boolean;
  /** A hook is stopped, because it froze or ended the process that ran it. */
  readonly 'hookline.hasStoppedHooks': boolean;
  /** More than one conversation is open. */
  readonly 'hookline.hasConversations': boolean;
  readonly 'hookline.hasMcpServers': boolean;
  readonly 'hookline.hasPackages': boolean;
  /** A hook has blocked something in this window. */
  readonly 'hookline.hasBlocked': boolean;
  /** The active terminal shows a command of the agent that still runs. */
  readonly 'hookline.commandShown': boolean;
  /** The list of sessions is open. */
  readonly 'hookline.pickingSession': boolean;
  /** The Sessions view knows whether there are sessions. */
  readonly 'hookline.sessionsRead': boolean;
  /** Whether commands of hooks are listed in the Command Palette; see `PaletteState`. */
  readonly 'hookline.hookCommands': 'none' | 'pending' | 'shown' | 'declined' | 'unavailable';
}

export const CONTEXT_KEYS: { readonly [Key in keyof ContextKeys]: true } = {
  'hookline.running': true,
  'hookline.chatFocused': true,
  'hookline.chatInTab': true,
  'hookline.asking': true,
  'hookline.askingAboutWrite': true,
  'hookline.askingElsewhere': true,
  'hookline.questionShown': true,
  'hookline.choosing': true,
  'hookline.diffShown': true,
  'hookline.asked': true,
  'hookline.hasHook': true,
  'hookline.hasHookFiles': true,
  'hookline.hasHeldChanges': true,
  'hookline.hasStoppedHooks': true,
  'hookline.hasConversations': true,
  'hookline.hasMcpServers': true,
  'hookline.hasPackages': true,
  'hookline.hasBlocked': true,
  'hookline.commandShown': true,
  'hookline.pickingSession': true,
  'hookline.sessionsRead': true,
  'hookline.hookCommands': true,
};

/** Scheme of the editor tab in which a hook's `ui.editor` question is answered. */
export const ANSWER_SCHEME = 'hookline-answer';

/** Scheme of the right side of a diff that proposes a change. */
export const PROPOSAL_SCHEME = 'hookline-proposal';

/** Scheme of the right side of a diff of a write that waits for an answer. */
export const WRITE_SCHEME = 'hookline-write';

/** Scheme of the right side of such a diff where the text of the call cannot be changed. */
export const WRITE_VIEW_SCHEME = 'hookline-write-view';

/** Scheme of the left side of such a diff: a file as it is on disk. */
export const DISK_SCHEME = 'hookline-disk';

/** Scheme of read-only texts: the left side of a diff, the full text of a question. */
export const TEXT_SCHEME = 'hookline-text';

/** Type of debug configurations that run the hooks of a folder. */
export const DEBUG_TYPE = 'hookline';

/** The first part of every setting's name, before the dot. */
export const SETTINGS_SECTION = 'hookline';

/** Names of settings after `hookline.`, with their defaults; package.json repeats both. */
export const SETTING_DEFAULTS = {
  agentDir: '',
  model: '',
  thinkingLevel: '',
  editorTools: [] as readonly string[],
  'models.updateList': true,
  'models.localServers': USUAL_PORTS,
  'hooks.paths': [] as readonly string[],
  'hooks.dialects': {} as Readonly<Record<string, string>>,
  'hooks.flags': {} as Readonly<Record<string, boolean | string>>,
  'hooks.askWhileBroken': true,
  'hooks.approveChanges': 'agent',
  'hooks.commandsInPalette': 'ask',
  'approvals.defaultMode': 'ask',
  'approvals.places': {} as Readonly<Record<string, string>>,
  'approvals.toolsThatAsk': ['run_in_terminal', 'vscode_fetchWebPage_internal'] as readonly string[],
  'approvals.openDiff': false,
  'hooks.sessionStartOnSwitch': true,
  'hooks.offerTools': true,
  codeLens: true,
} as const;

export type SettingName = keyof typeof SETTING_DEFAULTS;
