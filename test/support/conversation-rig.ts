import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Api, Model } from '@mariozechner/pi-ai';
import type { StreamFn } from '../../src/agent/run/loop';
import { ChangeTracker } from '../../src/agent/changes/tracker';
import { createBuiltinTools } from '../../src/agent/tools';
import { RipgrepLocator } from '../../src/agent/tools/search/ripgrep';
import { loadSettings } from '../../src/agent/settings/load-settings';
import type { Skill } from '../../src/agent/resources/skill';
import type { PiSettings } from '../../src/agent/settings/pi-settings';
import {
  promptOptions,
  type PromptInput,
  type PromptOptions,
  type PromptTools,
} from '../../src/agent/prompt/system-prompt';
import { toDisposable } from '../../src/base/disposable';
import { Emitter } from '../../src/base/event';
import { silentLog } from '../../src/base/log';
import { rememberLast } from '../../src/base/remember-last';
import { CallRecords } from '../../src/chat/call-records/call-records';
import { ChatPages } from '../../src/chat/page/chat-pages';
import type { PageConnection } from '../../src/chat/page/page-connection';
import { Conversations } from '../../src/chat/window/conversations';
import type { Chat } from '../../src/chat/chat';
import type { Conversation } from '../../src/session/conversation';
import { DialogQueue } from '../../src/session/ports/dialogs';
import type { ApprovalPort } from '../../src/session/ports/approval-port';
import { defined } from '../../src/base/defined';
import type { ApprovalMode } from '../../src/hook-contract/approvals/approval-mode';
import type { PlaceAnswers } from '../../src/gate/built-in-gate';
import type { ApprovalSettings } from '../../src/gate/approval-settings';
import type { ApprovalRule } from '../../src/hook-contract/approvals/approval-rule';
import { RULES_FILE, RuleStore } from '../../src/gate/rules/rule-store';
import { approvalPlaces } from '../../src/startup/approval-places';
import type { PlainReadingChoice } from '../../src/gate/commands/plain-reading';
import { plainReadingFor } from '../../src/startup/plain-reading';
import type { EditorChipsPort } from '../../src/chat/editor/editor-chips-port';
import type { EditorPort } from '../../src/chat/editor/editor-port';
import type { ModelSource, OptionalTool } from '../../src/session/ports/ports';
import { McpAuthFile } from '../../src/mcp/login/mcp-auth-file';
import { McpServers } from '../../src/mcp/mcp-servers';
import { LiveResources } from '../../src/startup/resources';
import { BUILT_IN_COMMANDS } from '../../src/startup/built-in-commands';
import { WindowMemory } from '../../src/chat/window/window-memory';
import { ApprovalStore } from '../../src/gate/approval-store/approval-store';
import { discoverHooks } from '../../src/hook-load/files/discover';
import { HookHost } from '../../src/hook-run/host/host';
import { HookLoader } from '../../src/hook-load/hook-loader';
import { shippedModules } from '../../src/hook-load/modules/shipped-modules';
import { OwnershipScope } from '../../src/hook-load/ownership/scope';
import { ThemeSwitch } from '../../src/hook-contract/ui/theme';
import type { ChatItem } from '../../src/protocol/items/chat-item';
import { readHostMessage, type HostToWebview } from '../../src/protocol/messages';
import { scriptedModel, ScriptedStream, type Script } from './scripted-stream';
import { RUNTIME_EXPORTS } from '../../src/hook-run/tool-call/runtime-exports';
import { hostDefaults } from './host-options';
import { modelSource } from './model-source';

/** Long enough for hooks that do answer, on a machine that has other things to do. */
const HOOK_WAIT_MS = 600;

export interface RigOptions {
  /** Hook files of the workspace: name below `.pi/hooks` -> text. */
  readonly hooks?: Readonly<Record<string, string>>;
  /** Hook files of the user: name below the agent folder's `hooks` -> text. */
  readonly globalHooks?: Readonly<Record<string, string>>;
  /** Extension files of the workspace: name below `.pi/extensions` -> text. */
  readonly extensions?: Readonly<Record<string, string>>;
  /** Models to choose from beside the demo; the first is taken. */
  readonly models?: readonly Model<Api>[];
  /** Answers in place of the script. */
  readonly stream?: StreamFn;
  /** Files of the workspace. */
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: Partial<PiSettings>;
  /** Servers of the agent folder's and the workspace's mcp.json, and of hooks, are connected. */
  readonly mcp?: true;
  /** Tools of the surroundings. */
  readonly optionalTools?: () => readonly OptionalTool[];
  readonly hasKey?: boolean;
  /** Providers that a user can log in to. */
  readonly logins?: readonly string[];
  readonly hasUI?: boolean;
  readonly resume?: boolean;
  /** The window remembers open sessions and drafts on disk, over a second start at the same root. */
  readonly remembers?: boolean;
  /** Files of the user: name below the home folder -> text; the agent folder is `.pi/agent`. */
  readonly home?: Readonly<Record<string, string>>;
  /** True: the system prompt is the real one, with only these context files. */
  readonly realPrompt?: boolean;
  readonly contextFiles?: PromptInput['contextFiles'];
  /** How long steps wait for hooks that do not answer, in ms; no test waits longer than that. */
  readonly hookWaitMs?: number;
  /** See `ConversationPorts`. */
  readonly followsCommands?: true;
  /** See `ConversationPorts`. */
  readonly showsTodos?: true;
  /** See `ConversationPorts`. */
  readonly keepsCommands?: true;
  /** What the editor does in another way than to note that it was asked. */
  readonly editor?: Partial<EditorPort>;
  /** What pages are told of the editor; without it, no file is open there. */
  readonly editorChips?: EditorChipsPort;
  /** With the built-in gate, in this mode; without it when absent. */
  readonly approvals?: RigApprovals;
  /** See `HookRuntimeSettings.approveChanges`. */
  readonly approveChanges?: 'agent' | 'all';
  /** Paths of hooks that are turned off, read at each reload. */
  readonly off?: ReadonlySet<string>;
  /** Use this place instead of a fresh one: a second start on the same disk. */
  readonly root?: string;
}

export interface RigApprovals {
  readonly mode: ApprovalMode;
  readonly rules?: readonly Omit<ApprovalRule, 'folder'>[];
  readonly places?: Partial<PlaceAnswers>;
  readonly isLocked?: boolean;
  readonly folders?: readonly string[];
  readonly plainReading?: PlainReadingChoice;
  /** See `ApprovalSettings`. */
  readonly above?: ApprovalSettings['above'];
}

/** An editor without a file. */
const NO_CHIPS: EditorChipsPort = {
  follow: () => toDisposable(() => undefined),
  switchChip: () => undefined,
  capture: () => () => Promise.resolve({ texts: [], problems: [] }),
};

/** A conversation with a scripted model, real hooks, real tools and a real session file, without VS Code. */
export class Rig {
  private constructor(
    readonly root: string,
    readonly cwd: string,
    readonly model: ScriptedStream,
    readonly host: HookHost<OwnershipScope>,
    readonly loader: HookLoader,
    readonly conversations: Conversations,
    readonly dialogs: DialogQueue,
    /** What the conversation asked of the editor, in order. */
    readonly editorCalls: string[],
    /** The pages of the window. */
    readonly pages: ChatPages,
    readonly resources: LiveResources,
    /** What is kept of files; answers to questions about them, in order (no when there is none); unsaved files. */
    readonly changes: {
      readonly tracker: ChangeTracker;
      readonly calls: CallRecords;
      readonly answers: boolean[];
      readonly unsaved: Set<string>;
    },
    readonly mcp: McpServers | undefined,
  ) {}

  static async open(script: readonly Script[], options: RigOptions = {}): Promise<Rig> {
    const root = options.root ?? mkdtempSync(join(tmpdir(), 'hookline rig ä '));
    const cwd = join(root, 'work');
    const agentDir = join(root, 'home', '.pi', 'agent');
    mkdirSync(cwd, { recursive: true });
    write(cwd, options.files ?? {});
    write(join(cwd, '.pi', 'hooks'), options.hooks ?? {});
    write(join(cwd, '.pi', 'extensions'), options.extensions ?? {});
    write(join(agentDir, 'hooks'), options.globalHooks ?? {});
    write(join(root, 'home'), options.home ?? {});
    const hookWaitMs = options.hookWaitMs ?? HOOK_WAIT_MS;
    const { settings } = await loadSettings({ agentDir, cwd, includeProject: true });
    const current: PiSettings = { ...settings, ...options.settings };
    const theme = new ThemeSwitch();
    const modules = shippedModules({ runtime: RUNTIME_EXPORTS, agentDir: () => agentDir, theme: () => theme.current });
    const loader = new HookLoader({
      cacheDir: join(root, 'cache'),
      jitiDir: resolve('node_modules/jiti/dist'),
      extensionVersion: 'test',
      modules: () => modules,
      log: silentLog,
    });
    const host = new HookHost<OwnershipScope>({
      ...hostDefaults(),
      discover: () => discoverHooks({ agentDir, cwd, includeProject: true, disabled: [...(options.off ?? [])] }),
      loader,
      createScope: (owner, onDidThrow) => new OwnershipScope({ owner, onDidThrow }),
      settings: () => ({
        hookTimeout: current.hookTimeout,
        dialects: {},
        confirmWithoutGates: true,
        approveChanges: options.approveChanges,
      }),
      builtInCommands: new Set(BUILT_IN_COMMANDS),
      gate: options.approvals && (await gateFor(options.approvals, agentDir, root, options.settings ?? {})),
      theme,
      shipped: specifier =>
        modules.has(specifier) ? (modules.get(specifier) as Readonly<Record<string, unknown>>) : undefined,
      timeouts: { farewell: hookWaitMs, greeting: hookWaitMs },
      approvals: {
        store: new ApprovalStore({ stateDir: join(root, 'state'), agentDir, cwd }),
        writes: true,
        lists: () => [],
        search: true,
        lasting: [],
      },
    });
    await host.reload();
    const mcp = options.mcp === true ? mcpServers(host, agentDir, cwd) : undefined;
    await mcp?.reload();
    const model = new ScriptedStream(...script);
    const dialogs = new DialogQueue();
    const editorCalls: string[] = [];
    const settingsSource = { current, problems: [], onDidChange: new Emitter<void>().event };
    const resources = await LiveResources.open({
      place: { agentDir, cwd, includeProject: () => true },
      settings: settingsSource,
      packages: { files: () => [] },
      hooks: host.runner,
      log: silentLog,
      home: join(root, 'home'),
      hookWaitMs,
    });
    const promptFor = rememberLast(
      (active: PromptTools['active'], all: PromptTools['all'], skills: readonly Skill[]): PromptOptions => {
        const given = { tools: { active, all }, contextFiles: options.contextFiles ?? [] };
        return options.realPrompt === true
          ? promptOptions({ ...given, cwd, date: '2026-01-01', skills })
          : promptOptions({ ...given, cwd: '', skills: [], custom: 'base prompt' });
      },
    );
    const prompt = ({ active, all }: PromptTools): PromptOptions => promptFor(active, all, resources.forPrompt);
    const changes = await ChangeTracker.open({ dir: join(root, 'storage', 'changes'), cwd, log: silentLog });
    const callRecords = new CallRecords(join(root, 'storage', 'calls'), silentLog);
    const answers: boolean[] = [];
    const unsaved = new Set<string>();
    const editor: EditorPort = {
      ...recordingEditor(editorCalls),
      ...askingEditor(editorCalls, answers, unsaved),
      ...options.editor,
    };
    const ripgrep = new RipgrepLocator();
    const memoryDir = options.remembers === true ? join(root, 'memory') : undefined;
    const memory = await WindowMemory.load(memoryDir, silentLog);
    const conversations = await Conversations.open(
      {
        cwd,
        sessionDir: join(agentDir, 'sessions', 'here'),
        hooks: host,
        models: modelsFor(options),
        stream: options.stream ?? model.stream,
        settings: settingsSource,
        resources,
        ripgrep,
        builtInTools: createBuiltinTools({ cwd, ripgrep }),
        ...(options.optionalTools === undefined ? {} : { optionalTools: options.optionalTools }),
        ...(mcp === undefined ? {} : { mcp }),
        changes,
        callRecords,
        promptOptions: prompt,
        dialogs,
        editor,
        mode: options.hasUI === false ? 'print' : 'tui',
        log: silentLog,
        ...(options.approvals === undefined ? {} : { approvals: approvalPort(options.approvals, memory) }),
        hookCounts: () => ({ live: host.infos().length, broken: 0, failed: 0, stopped: 0, heldBack: 0, waiting: 0 }),
        shutdown: () => editorCalls.push('shutdown'),
        hookWaitMs,
        followsCommands: options.followsCommands === true,
        showsTodos: options.showsTodos === true,
        keepsCommands: options.keepsCommands === true,
      },
      { resume: options.resume === true, memory },
    );
    const pages = new ChatPages(conversations, editor, options.editorChips ?? NO_CHIPS);
    const kept = { tracker: changes, calls: callRecords, answers, unsaved };
    return new Rig(root, cwd, model, host, loader, conversations, dialogs, editorCalls, pages, resources, kept, mcp);
  }

  /** Connects a page; without `own`, that of the side bar. */
  connectPage(post: (message: HostToWebview) => void, own?: Chat): PageConnection {
    return this.pages.connect(post, own);
  }

  /** The active chat. */
  get chat(): Chat {
    return this.conversations.active;
  }

  /** What the active chat is the view of. */
  get conversation(): Conversation {
    return this.chat.conversation;
  }

  items<K extends ChatItem['kind']>(kind: K): Extract<ChatItem, { kind: K }>[] {
    return this.chat.model.items.filter(item => item.kind === kind) as Extract<ChatItem, { kind: K }>[];
  }

  /** A page that is ready; collects what it gets. With `own`, it is that of an editor tab. */
  page(own?: Chat): { readonly got: HostToWebview[]; readonly send: (message: unknown) => void; dispose(): void } {
    const got: HostToWebview[] = [];
    const connection = this.connectPage(message => {
      readHostMessage(JSON.parse(JSON.stringify(message)), problem => assert.fail(`${message.type}: ${problem}`));
      got.push(message);
    }, own);
    connection.receive({ type: 'ready' });
    return {
      got,
      send: message => connection.receive(message),
      dispose: () => connection.dispose(),
    };
  }

  /** Ends everything; `keep` leaves the disk for a second start. */
  async close(keep = false): Promise<void> {
    await this.conversations.dispose();
    await this.changes.tracker.flush();
    await this.changes.calls.flush();
    this.resources.dispose();
    await Promise.all([this.host.dispose(), this.mcp?.dispose()]);
    this.loader.dispose();
    this.dialogs.dispose();
    if (!keep) rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

function mcpServers(host: HookHost<OwnershipScope>, agentDir: string, cwd: string): McpServers {
  return new McpServers({
    place: { agentDir, cwd, includeProject: () => true },
    registrations: host.mcpServers,
    credentials: new McpAuthFile(join(agentDir, 'mcp-auth.json')),
    providerToken: () => Promise.resolve(undefined),
    env: process.env,
    version: 'test',
    openPage: () => undefined,
    replacement: { path: () => host.commands.ownerOf('mcp'), onDidChange: host.onDidChange },
    log: silentLog,
  });
}

/** Asks until the answer is not undefined; throws after 10 s. */
export async function until<T>(ask: () => T | undefined, what: string): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (let round = 0; ; round += 1) {
    const answer = ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    // Most is there after a few turns of the event loop; for processes and timers the processor is left free.
    await new Promise(resolve => (round < 50 ? setImmediate(resolve) : setTimeout(resolve, 2)));
  }
}

/** Models with their keys and logins, and the demo. */
function modelsFor({ models = [scriptedModel], hasKey = true, logins = [] }: RigOptions): ModelSource {
  const demo = { ...scriptedModel, provider: 'demo', id: 'offline', name: 'Demo (offline)' };
  return {
    ...modelSource([...models, demo]),
    getAvailable: () => models,
    getApiKey: () => Promise.resolve(hasKey ? 'key' : undefined),
    hasKey: () => Promise.resolve(hasKey),
    authStorage: {
      getOAuthProviders: () => logins.map(id => ({ id, name: id })),
      list: () => [],
      get: () => undefined,
    },
  };
}

function askingEditor(
  calls: string[],
  answers: boolean[],
  unsaved: ReadonlySet<string>,
): Pick<EditorPort, 'isUnsaved' | 'confirm'> {
  return {
    isUnsaved: path => unsaved.has(path),
    confirm: (question, detail) => {
      calls.push(`confirm ${question} ${detail}`);
      return Promise.resolve(answers.shift() ?? false);
    },
  };
}

function recordingEditor(calls: string[]): Omit<EditorPort, 'isUnsaved' | 'confirm'> {
  const note =
    (name: string) =>
    (...args: readonly unknown[]): void => {
      calls.push([name, ...args.filter(arg => typeof arg === 'string')].join(' '));
    };
  return {
    openFile: note('openFile'),
    openLink: note('openLink'),
    openText: note('openText'),
    openDiagram: note('openDiagram'),
    openPlan: note('openPlan'),
    showWriteDiff: note('showWriteDiff'),
    insertAtCursor: note('insertAtCursor'),
    copy: note('copy'),
    showDiff: (path, before, title, _now, shows) => note('showDiff')(path, before, title, JSON.stringify(shows)),
    showDiffs: (title, files) => note('showDiffs')(title, JSON.stringify(files)),
    notify: note('notify'),
    setHookStatus: note('setHookStatus'),
    setTitle: note('setTitle'),
    pickModel: note('pickModel'),
    pickSession: note('pickSession'),
    showHooks: note('showHooks'),
    showQuestion: note('showQuestion'),
    run: note('run'),
    show: note('show'),
    logIn: note('logIn'),
    logOut: note('logOut'),
    exportSession: note('exportSession'),
    renameSession: note('renameSession'),
    showTree: note('showTree'),
    applyCode: note('applyCode'),
    revealFile: note('revealFile'),
    openTerminal: note('openTerminal'),
    showCommand: ({ toolCallId }) => void calls.push(`showCommand ${toolCallId}`),
    chatFocused: note('chatFocused'),
    chatInTab: () => undefined,
    revealChat: conversation => {
      note('revealChat')(conversation);
      return true;
    },
    offerConversation: note('offerConversation'),
    // The user always chooses the latest message, and cancels all else.
    pickMessage: messages => Promise.resolve(messages.at(-1)?.entryId),
    pickSessionFile: () => Promise.resolve(undefined),
    askMissingFolder: () => Promise.resolve(undefined),
  };
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The built-in gate of a place whose folders for temporary files are its own. */
async function gateFor(
  { rules = [], places, isLocked, plainReading, above }: RigApprovals,
  agentDir: string,
  root: string,
  settings: Partial<PiSettings>,
): Promise<{ readonly path: string; readonly settings: ApprovalSettings }> {
  const store = await RuleStore.open(join(agentDir, RULES_FILE), silentLog);
  for (const rule of rules) await store.add(rule);
  if (plainReading !== undefined) await store.choosePlainReading(plainReading);
  const of = { ...approvalPlaces([agentDir]), home: join(root, 'home'), temporary: [join(root, 'tmp')] };
  const ofGate: ApprovalSettings = {
    rules: store,
    places: () => of,
    placeAnswers: () => ({ code: 'ask', build: 'ask', outside: 'ask', ...places }),
    plainReading: plainReadingFor({
      choice: () => store.plainReading,
      isTrusted: () => isLocked !== true,
      settings: () => settings,
    }),
    selfAsking: () => ['asks_itself'],
    ...defined({ above }),
  };
  return { path: resolve('src/gate/built-in-gate.ts'), settings: ofGate };
}

function approvalPort({ mode, isLocked, folders }: RigApprovals, modes: WindowMemory): ApprovalPort {
  return { defaultMode: () => mode, isLocked: () => isLocked === true, modes, ...defined({ folders }) };
}
