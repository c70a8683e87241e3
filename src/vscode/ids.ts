/**
 * Every name that package.json and the code share: commands with their arguments, views, settings, context keys.
 * Imports no `vscode`, so that a plain test can hold it against the manifest.
 */

/** `publisher.name` of package.json. */
export const EXTENSION_ID = 'hookline.hookline';

export const CONTAINER_ID = 'hookline';

export const VIEWS = { chat: 'hookline.chat', hooks: 'hookline.hooks' } as const;

/** Type of the editor tab that shows the hook log. */
export const LOG_PANEL = 'hookline.hookLog';
/** Type of the editor tab that shows a replay. */
export const REPLAY_PANEL = 'hookline.hookReplay';

/** Type of the editor tab that draws a session's tree. */
export const TREE_PANEL = 'hookline.sessionTree';

/** Arguments of each command; people call them without, code may pass what it knows. */
export interface CommandArguments {
  readonly 'hookline.openChat': [];
  readonly 'hookline.focusInput': [];
  readonly 'hookline.sendSelection': [];
  readonly 'hookline.explainProblem': [uri?: unknown, problem?: unknown];
  readonly 'hookline.fixProblem': [uri?: unknown, problem?: unknown];
  readonly 'hookline.addFileToContext': [one?: unknown, all?: unknown];
  readonly 'hookline.addTerminalSelection': [];
  readonly 'hookline.getStarted': [];
  readonly 'hookline.tryPrompt': [text?: unknown];
  readonly 'hookline.nextMessage': [];
  readonly 'hookline.previousMessage': [];
  readonly 'hookline.findInChat': [];
  readonly 'hookline.newSession': [];
  readonly 'hookline.newConversation': [];
  readonly 'hookline.switchConversation': [];
  readonly 'hookline.nextConversation': [];
  readonly 'hookline.previousConversation': [];
  readonly 'hookline.closeConversation': [];
  readonly 'hookline.resumeSession': [];
  readonly 'hookline.renameSession': [];
  readonly 'hookline.deleteSession': [];
  readonly 'hookline.restoreSession': [];
  readonly 'hookline.exportSession': [];
  readonly 'hookline.labelMessage': [target?: unknown];
  readonly 'hookline.showSessionTree': [entryId?: unknown];
  readonly 'hookline.stop': [];
  readonly 'hookline.compact': [];
  readonly 'hookline.showChanges': [];
  readonly 'hookline.revertToTurn': [];
  readonly 'hookline.undoRevert': [];
  readonly 'hookline.chooseModel': [];
  readonly 'hookline.chooseThinkingLevel': [];
  readonly 'hookline.selectTools': [];
  readonly 'hookline.logIn': [provider?: string];
  readonly 'hookline.logOut': [provider?: string];
  readonly 'hookline.setApiKey': [provider?: string];
  readonly 'hookline.removeApiKey': [];
  readonly 'hookline.reloadHooks': [];
  readonly 'hookline.approveHooks': [];
  readonly 'hookline.showHooks': [];
  readonly 'hookline.runHookCommand': [name?: string, args?: string];
  readonly 'hookline.openHook': [target?: unknown];
  readonly 'hookline.reloadHook': [target?: unknown];
  readonly 'hookline.turnOffHook': [target?: unknown];
  readonly 'hookline.turnOnHook': [target?: unknown];
  readonly 'hookline.dryFireHook': [target?: unknown];
  readonly 'hookline.copyHookRecord': [target?: unknown];
  readonly 'hookline.showHookLog': [target?: unknown];
  readonly 'hookline.exportHookLog': [];
  readonly 'hookline.replayHooks': [target?: unknown];
  readonly 'hookline.makeHookTest': [target?: unknown];
  readonly 'hookline.approveHook': [target?: unknown];
  readonly 'hookline.compareHook': [target?: unknown];
  readonly 'hookline.clearHookLog': [];
  readonly 'hookline.newHook': [template?: unknown];
  readonly 'hookline.convertHook': [target?: unknown];
  readonly 'hookline.acceptConversion': [proposed?: unknown];
  readonly 'hookline.rejectConversion': [proposed?: unknown];
  readonly 'hookline.explainHook': [target?: unknown];
  readonly 'hookline.importShellHooks': [];
  readonly 'hookline.installHookTypes': [];
  readonly 'hookline.debugHooks': [];
  readonly 'hookline.answerQuestion': [];
  readonly 'hookline.cancelQuestion': [];
  readonly 'hookline.acceptAnswer': [];
  readonly 'hookline.discardAnswer': [];
  readonly 'hookline.acceptDiff': [];
  readonly 'hookline.rejectDiff': [];
  readonly 'hookline.manageTrust': [];
  readonly 'hookline.openFolder': [];
  readonly 'hookline.showLog': [];
}

export type CommandId = keyof CommandArguments;

/** Where a command is listed: always in the palette, or only while its `when` clause holds. */
export const COMMANDS: { readonly [Id in CommandId]: 'palette' | 'conditional' } = {
  'hookline.openChat': 'palette',
  'hookline.focusInput': 'palette',
  'hookline.sendSelection': 'palette',
  'hookline.explainProblem': 'palette',
  'hookline.fixProblem': 'palette',
  'hookline.addFileToContext': 'palette',
  'hookline.addTerminalSelection': 'palette',
  'hookline.getStarted': 'palette',
  'hookline.tryPrompt': 'conditional',
  'hookline.nextMessage': 'palette',
  'hookline.previousMessage': 'palette',
  'hookline.findInChat': 'palette',
  'hookline.newSession': 'palette',
  'hookline.newConversation': 'palette',
  'hookline.switchConversation': 'palette',
  'hookline.nextConversation': 'palette',
  'hookline.previousConversation': 'palette',
  'hookline.closeConversation': 'palette',
  'hookline.resumeSession': 'palette',
  'hookline.renameSession': 'palette',
  'hookline.deleteSession': 'palette',
  'hookline.restoreSession': 'palette',
  'hookline.exportSession': 'palette',
  'hookline.labelMessage': 'palette',
  'hookline.showSessionTree': 'palette',
  'hookline.stop': 'palette',
  'hookline.compact': 'palette',
  'hookline.showChanges': 'palette',
  'hookline.revertToTurn': 'palette',
  'hookline.undoRevert': 'palette',
  'hookline.chooseModel': 'palette',
  'hookline.chooseThinkingLevel': 'palette',
  'hookline.selectTools': 'palette',
  'hookline.logIn': 'palette',
  'hookline.logOut': 'palette',
  'hookline.setApiKey': 'palette',
  'hookline.removeApiKey': 'palette',
  'hookline.reloadHooks': 'palette',
  'hookline.approveHooks': 'palette',
  'hookline.showHooks': 'palette',
  'hookline.runHookCommand': 'palette',
  'hookline.openHook': 'conditional',
  'hookline.reloadHook': 'palette',
  'hookline.turnOffHook': 'palette',
  'hookline.turnOnHook': 'palette',
  'hookline.dryFireHook': 'palette',
  'hookline.copyHookRecord': 'palette',
  'hookline.showHookLog': 'palette',
  'hookline.exportHookLog': 'palette',
  'hookline.replayHooks': 'palette',
  'hookline.makeHookTest': 'palette',
  'hookline.approveHook': 'palette',
  'hookline.compareHook': 'palette',
  'hookline.clearHookLog': 'palette',
  'hookline.newHook': 'palette',
  'hookline.convertHook': 'palette',
  'hookline.acceptConversion': 'conditional',
  'hookline.rejectConversion': 'conditional',
  'hookline.explainHook': 'palette',
  'hookline.importShellHooks': 'palette',
  'hookline.installHookTypes': 'palette',
  'hookline.debugHooks': 'palette',
  'hookline.answerQuestion': 'conditional',
  'hookline.cancelQuestion': 'conditional',
  'hookline.acceptAnswer': 'conditional',
  'hookline.discardAnswer': 'conditional',
  'hookline.acceptDiff': 'conditional',
  'hookline.rejectDiff': 'conditional',
  'hookline.manageTrust': 'conditional',
  'hookline.openFolder': 'conditional',
  'hookline.showLog': 'palette',
};

/** Context keys for `when` clauses, with the type of their values. */
export interface ContextKeys {
  /** The active conversation's agent is at work. */
  readonly 'hookline.running': boolean;
  /** The keyboard is in the chat's page: VS Code's own `focusedView` forgets views whose page has it. */
  readonly 'hookline.chatFocused': boolean;
  /** A hook waits for an answer. */
  readonly 'hookline.asking': boolean;
  /** The pick or input box of a hook's question is on the screen. */
  readonly 'hookline.questionShown': boolean;
  /** A diff of ours is in front: a proposal, or a change of the agent. */
  readonly 'hookline.diffShown': boolean;
  /** The person has sent a message in this window's folder at some time. */
  readonly 'hookline.asked': boolean;
  /** A hook is loaded. */
  readonly 'hookline.hasHook': boolean;
  /** A hook has blocked a tool call at some time. */
  readonly 'hookline.hasBlocked': boolean;
  /** The list of sessions is on the screen. */
  readonly 'hookline.pickingSession': boolean;
}

export const CONTEXT_KEYS: { readonly [Key in keyof ContextKeys]: true } = {
  'hookline.running': true,
  'hookline.chatFocused': true,
  'hookline.asking': true,
  'hookline.questionShown': true,
  'hookline.diffShown': true,
  'hookline.asked': true,
  'hookline.hasHook': true,
  'hookline.hasBlocked': true,
  'hookline.pickingSession': true,
};

/** Scheme of the editor tab in which a hook's `ui.editor` question is answered. */
export const ANSWER_SCHEME = 'hookline-answer';

/** Scheme of what a conversion proposes: the right side of its diff. */
export const CONVERSION_SCHEME = 'hookline-conversion';

/** Scheme of the right side of a diff that proposes a change. */
export const PROPOSAL_SCHEME = 'hookline-proposal';

/** Scheme of read-only texts: the left side of a diff, the full text of a question. */
export const TEXT_SCHEME = 'hookline-text';

/** Type of debug configurations that run the hooks of a folder. */
export const DEBUG_TYPE = 'hookline';

/** Configuration section in front of every setting's name. */
export const SETTINGS_SECTION = 'hookline';

/** Names below `hookline.`, with the default that package.json repeats. */
export const SETTING_DEFAULTS = {
  agentDir: '',
  model: '',
  thinkingLevel: '',
  editorTools: [] as readonly string[],
  'hooks.paths': [] as readonly string[],
  'hooks.dialects': {} as Readonly<Record<string, string>>,
  'hooks.flags': {} as Readonly<Record<string, boolean | string>>,
  'hooks.askWhileBroken': true,
  'hooks.sessionStartOnSwitch': true,
  codeLens: true,
} as const;

export type SettingName = keyof typeof SETTING_DEFAULTS;
