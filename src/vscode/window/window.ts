import { join } from 'node:path';
import * as vscode from 'vscode';
import { ChangeTracker } from '../../agent/changes/tracker';
import { UnfinishedWrites } from '../../agent/tools/files/writing/unfinished-writes';
import type { ModelRegistry } from '../../agent/models/registry';
import { defined } from '../../base/defined';
import { DisposableStore } from '../../base/disposable';
import type { Event } from '../../base/event';
import type { Log } from '../../base/log';
import { CallRecords } from '../../chat/call-records/call-records';
import { ChatPages } from '../../chat/page/chat-pages';
import type { Conversation } from '../../session/conversation';
import { Conversations } from '../../chat/window/conversations';
import { DialogQueue } from '../../session/ports/dialogs';
import { LiveResources } from '../../startup/resources';
import { createMcpServers } from '../../startup/mcp-setup';
import type { McpServers } from '../../mcp/mcp-servers';
import { loadByTrust } from '../../startup/load-by-trust';
import { mayRunTests } from '../../startup/trust/may-run-tests';
import { WindowMemory } from '../../chat/window/window-memory';
import { RULES_FILE, RuleStore } from '../../gate/rules/rule-store';
import type { HookHost } from '../../hook-run/host/host';
import type { ChatEditors } from '../chat/chat-editors';
import type { ChatView } from '../chat/chat-view';
import { codecOf } from '../editor-context/codec-of';
import { EditorChips } from '../editor-context/editor-chips';
import { VsCodeContext } from '../editor-context/vscode-context';
import { debugStartOf, type DebugStart } from '../debug/debug-start';
import { VsCodeEditor } from '../chat/editor';
import { openWindowServices, type WindowServices } from './window-services';
import { packagesFor, reviewerFor } from './window-packages';
import { folderAmongOthers, folderStorage, memoryDir } from './folder-storage';
import { cardsIn } from '../chat/seen-cards';
import { ProblemActions } from '../editor-context/problem-actions';
import { TourSteps } from './tour-steps';
import { PaletteKeys } from './palette-keys';
import { HookCommandRunner } from '../palette/hook-command-runner';
import { LocalServers } from '../../agent/models/servers/local-servers';
import { EditorModels } from '../language-models/editor-models';
import { HeldPackages } from '../../packages/approval/held-packages';
import type { PackageActions } from '../packages-view/package-actions';
import { McpActions } from '../mcp-view/mcp-actions';
import { HookMonitor } from './hook-monitor';
import type { PackageReviewer } from '../package-preview/package-reviewer';
import { HookPalette } from '../palette/hook-palette';
import { HookAuthoring } from '../hook-authoring/hook-authoring';
import { cliIn } from '../hook-log/make-test';
import { HookTests } from '../hook-tests/hook-tests';
import { AgentOverview } from '../guard/agent-overview';
import { ToolsForEditor } from '../guard/tools-for-editor';
import { WindowGuard } from '../guard/window-guard';
import { WindowStatus } from './status/window-status';
import { SessionCommands } from '../sessions/session-commands';
import { SessionActions } from '../sessions-view/session-actions';
import { SessionOverview } from '../sessions-view/session-overview';
import type { WindowUi } from './window-ui';
import type { ScopePickParts } from '../pickers/scope-picker';
import type { TrustPickParts } from '../pickers/trust-picker';
import { messageOf } from '../../base/errors';
import { literalMessage } from '../message-text';
import { shortPath } from '../short-path';
import { reviewHeldFiles } from '../hooks-view/held-file-review';
import { reviewUnfinishedWrites } from '../chat/unfinished-write-review';
import { LiveReload } from './live-reload';
import { workspaceTrust } from './trust';
import { approvalPort, approvalSettings } from './window-approvals';
import { createHooks } from './hook-host';
import { childOpener, portsFor } from './window-ports';
import { isCommandCall } from '../../hook-contract/called-as';

/** Name in the user's memory of the chosen models of servers on this machine. */
const LOCAL_MODELS = 'hookline.localModels';

/** The running parts of a window: conversations, hooks, and what connects them to VS Code. */
export interface HooklineWindow {
  readonly conversations: Conversations;
  readonly pages: ChatPages;
  readonly hooks: HookHost;
  readonly models: ModelRegistry;
  /** Servers of models on this machine. */
  readonly localServers: LocalServers;
  /** Absolute path of the user's agent folder. */
  readonly agentDir: string;
  readonly mcp: McpServers;
  readonly dialogs: DialogQueue;
  readonly commandRunner: HookCommandRunner;
  readonly palette: HookPalette;
  readonly monitor: HookMonitor;
  readonly authoring: HookAuthoring;
  readonly packageReviewer: PackageReviewer;
  readonly hookTests: HookTests;
  readonly guard: WindowGuard;
  readonly sessions: SessionCommands;
  readonly sessionActions: SessionActions;
  readonly packages: PackageActions;
  readonly mcpActions: McpActions;
  /** Reads settings, instructions and hooks again, as after a change on disk. */
  readonly refresh: () => Promise<void>;
  /** What the pick of scoped models depends on. */
  readonly scope: ScopePickParts;
  /** What the pick about trust in the folder depends on; undefined when no folder is open. */
  readonly trustPick: TrustPickParts | undefined;
  /** Approves all held changes of hooks. */
  readonly approveHooks: () => Promise<void>;
  /** Asks about changes of settings files that wait. */
  readonly reviewHeldFiles: () => Promise<void>;
  /** Asks about files whose writing ended with a process. */
  readonly reviewUnfinishedWrites: () => Promise<void>;
  /** The approval rules that the user stored. */
  readonly approvalRules: RuleStore;
  /** Whether a change of a hook's files that is noticed now counts as made by the agent. */
  readonly isGuarding: () => boolean;
  /** Stops all runs, lets hooks shut down and closes files. */
  dispose(): Promise<void>;
}

/** Starts the hooks and conversations of this window. Rejects when pi-ai cannot be loaded. */
export async function openWindow(ui: WindowUi, view: ChatView, editors: ChatEditors): Promise<HooklineWindow> {
  const { log } = ui;
  const store = new DisposableStore();
  const services = store.add(await openWindowServices(ui));
  const { folder, settings, vscodeSettings, models, packages } = services;
  const copy = async (text: string): Promise<void> => vscode.env.clipboard.writeText(text);
  const approvalRules = await RuleStore.open(join(services.place.agentDir, RULES_FILE), log);
  const approvals = approvalSettings(ui, services, approvalRules);
  const heldPackages = new HeldPackages({
    ...{ packages, approval: services.approval, memory: services.packageMemory, places: services.place },
    review: installed => packageReviewer.review(installed),
  });
  const { place: extension, switches } = ui;
  const hooksParts = { services, extension, switches, copy, codecOf, approvals, heldPackages, log };
  // Without a folder, hooks cannot start sessions: the agent of such a session would have no folder to work in.
  const { host, dependencies } = createHooks(
    folder === undefined
      ? hooksParts
      : { ...hooksParts, storedApprovals: 'readWrite', openChild: childOpener(services) },
  );
  store.add(dependencies);
  store.add(new EditorModels(models, log));
  const localServers = store.add(localServersFor(ui, services));
  const { diagnostics } = ui;
  const { stateDir } = ui.place;
  const agents = store.add(new AgentOverview({ stateDir, folder, diagnostics, onNoEffect: host.onNoEffect, log }));
  const monitor = monitorFor({ ui, services, host, agents, log }, () => conversations);
  const { place, trust, prompt } = services;
  await (folder === undefined ? host.reload() : loadByTrust({ trust, settings, prompt, host }));
  const mcp = createMcpServers({
    place,
    host,
    models,
    env: process.env,
    version: ui.place.version,
    openPage: url => void vscode.env.openExternal(vscode.Uri.parse(url.href, true)),
    credentials: ui.mcpLogins,
    log,
  });
  await mcp.reload();
  const resources = store.add(await LiveResources.open({ place, settings, packages, hooks: host.runner, log }));

  const dialogs = store.add(new DialogQueue(error => log.error('A view that shows questions failed', error)));
  store.add(dialogs.addView(ui.dialogs));
  const editor = editorFor(ui, { view, editors }, services, () => conversations);
  const changes = store.add(await openChanges(ui, services));
  const callRecords = new CallRecords(join(ui.workspaceStorageDir ?? ui.place.storageDir, 'calls'), log);
  const ports = {
    hooks: host,
    mcp,
    startsOnSwitch: () => vscodeSettings.value.hooks.sessionStartOnSwitch,
    changes,
    callRecords,
    resources,
    dialogs,
    editor,
    context: store.add(new VsCodeContext({ folder, log })),
    log,
    shutdown: (id: string) => void conversations.find(id)?.conversation.sessions.newSession(),
  };
  const editorChips = store.add(new EditorChips({ folder, memory: ui.workspaceMemory }));
  const debugStart = debugStartOf(process.env);
  // A window that debugs hooks starts a new session, because the window that opened it still writes the latest one.
  const resume = folder !== undefined && debugStart === undefined;
  const memory = store.add(await WindowMemory.load(resume ? memoryDir(ui, folder) : undefined, log));
  const conversations = await Conversations.open(
    { ...portsFor(services, ports), approvals: approvalPort(services, memory) },
    { resume, memory },
  );

  if (debugStart !== undefined) {
    await startAs(conversations.active.conversation, debugStart, models);
    void view.focus();
  }
  ui.hookDebugger.connect({
    start: () => debugStartLike(conversations.active.conversation),
    showWarningMessage: text => conversations.active.model.notice('warning', text),
  });

  store.add(
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (uri.scheme !== 'file') return;
      host.savedInEditor(uri.fsPath);
      void changes.saved(uri.fsPath);
    }),
  );
  const { heldFiles } = services;
  const unfinishedWrites = await UnfinishedWrites.open(services.writeRecords);
  const liveReload = store.add(new LiveReload(services, host, resources, conversations, log));
  store.add(liveReload.onDidRefresh(() => void mcp.reload()));
  store.add(
    heldFiles.onDidChange(() => {
      for (const read of [
        () => approvalRules.reload(),
        () => models.reload(),
        liveReload.decideTrust,
        liveReload.refresh,
      ]) {
        read().catch((error: unknown) => log.error(`A changed file could not be read: ${messageOf(error)}`, error));
      }
    }),
  );
  store.add(
    heldFiles.onDidPutBack(path => {
      const text = vscode.l10n.t(
        'An agent changed how agents are guarded; this file was put back: {0}',
        shortPath(path),
      );
      void vscode.window.showWarningMessage(literalMessage(text));
    }),
  );
  const problems = () => [
    ...[settings, prompt, approvalRules, models, mcp].flatMap(each => each.problems),
    ...services.approval.problems,
    ...packages.current.problems,
    ...host.problems(),
    ...resources.current.problems,
  ];
  const onDidChange: Event<void> = listener => {
    const subscriptions = new DisposableStore();
    for (const event of [
      liveReload.onDidChange,
      resources.onDidChange,
      mcp.onDidChange,
      unfinishedWrites.onDidChange,
    ]) {
      subscriptions.add(event(listener));
    }
    return subscriptions;
  };
  store.add(
    new WindowStatus({
      ...{ ui, view, conversations, folder, trust, hooks: host, heldFiles, unfinishedWrites, problems, onDidChange },
    }),
  );
  ui.writeDiffs.follow(vscodeSettings);
  store.add(ui.dialogs.watchCards(cardsIn(view, conversations)));
  store.add(new TourSteps(conversations, host));
  store.add(new PaletteKeys({ conversations, hooks: host, mcp, packages }));
  store.add(new ProblemActions());
  const packageReviewer = store.add(reviewerFor(services, ui, log));
  const commandRunner = new HookCommandRunner({ host, active: () => conversations.active.conversation });
  const packageActions = packagesFor({ services, packageReviewer, refresh: liveReload.refresh, log });
  store.add(packageActions);
  store.add(ui.packagesView.show(packageActions.source));
  const mcpActions = store.add(new McpActions(mcp, place));
  store.add(ui.mcpView.show(mcpActions.source));
  const { storageDir } = ui.place;
  const reveal = async (id: string): Promise<void> => {
    await editors.reveal(id);
  };
  const sessions = new SessionCommands({ conversations, log, folder, storageDir, reveal });
  const overview = store.add(
    new SessionOverview({ conversations, onDidWrite: sessions.onDidWrite, folderName: folderAmongOthers(folder), log }),
  );
  store.add(ui.sessionsView.show(overview));
  const sessionActions = new SessionActions({
    ...{ conversations, commands: sessions, overview, view: ui.sessionsView, reveal },
    openInEditor: id => editors.open(id),
  });
  const palette = store.add(
    new HookPalette({
      runner: commandRunner,
      onDidChange: host.onDidChange,
      onDidRunCommand: listener =>
        host.records.onDidDispatch(({ registeredAs }) => {
          if (isCommandCall(registeredAs)) listener();
        }),
      folder,
      storageDir,
      settings: vscodeSettings,
      memory: ui.workspaceMemory,
      log,
    }),
  );
  const authoring = store.add(
    new HookAuthoring({
      infos: () => host.infos(),
      onDidChange: host.onDidChange,
      tools: () => conversations.active.conversation.toolset.all().map(({ name }) => name),
      conversations: () => conversations,
      proposals: ui.proposals,
      reveal,
      folder,
      distDir: join(ui.place.dir, 'dist'),
      jitiDir: ui.place.jitiDir,
      storageDir,
      log,
    }),
  );
  const hookTests = store.add(
    new HookTests(
      {
        ...{ extensionDir: ui.place.dir, cli: cliIn(ui.place.dir), agentDir: place.agentDir },
        isTrusted: (root, tests) =>
          mayRunTests({
            ...{
              root,
              tests,
              agentDir: place.agentDir,
              hooks: host.runner,
              editorTrusts: workspaceTrust.isTrusted,
              log,
            },
            decided: root === folder ? place.includeProject() : undefined,
          }),
        variables: () => trust.variables,
      },
      ui.workspaceMemory,
      log,
    ),
  );
  const guard = store.add(
    new WindowGuard({
      ...{ overview: agents, folder, hooks: host, heldFiles, models, dialogs, log },
      isTrusted: () => place.includeProject(),
      questions: ui.dialogs,
      texts: ui.texts,
      extension: ui.place,
      agentDir: services.place.agentDir,
    }),
  );
  store.add(
    new ToolsForEditor({
      ...{ folder, hooks: host, extension: ui.place },
      isTrusted: () => place.includeProject(),
      isOn: () => vscodeSettings.value.hooks.offerTools,
      onDidChangeSettings: vscodeSettings.onDidChange,
      answerCalls: () => guard.answerCalls(),
    }),
  );
  const dispose = async (): Promise<void> => {
    // From now on, the host has its calls decided elsewhere, or denies them.
    guard.dispose();
    await conversations.dispose();
    await callRecords.flush();
    await Promise.all([host.dispose(), mcp.dispose()]);
    await monitor.close();
    store.dispose();
  };
  return {
    conversations,
    pages: new ChatPages(conversations, editor, editorChips),
    hooks: host,
    models,
    localServers,
    agentDir: place.agentDir,
    mcp,
    dialogs,
    commandRunner,
    palette,
    monitor,
    authoring,
    packageReviewer,
    hookTests,
    guard,
    sessions,
    sessionActions,
    packages: packageActions,
    mcpActions,
    refresh: liveReload.refresh,
    scope: { models, settings, file: join(place.agentDir, 'settings.json'), written: liveReload.refresh },
    trustPick:
      folder === undefined ? undefined : { folder, agentDir: place.agentDir, trust, decided: liveReload.decideTrust },
    isGuarding: () => host.isGuarding,
    approveHooks: () => host.approve(),
    reviewHeldFiles: () => reviewHeldFiles({ files: heldFiles, texts: ui.texts, cwd: place.cwd, log }),
    reviewUnfinishedWrites: () =>
      reviewUnfinishedWrites({ writes: unfinishedWrites, texts: ui.texts, cwd: place.cwd, log }),
    approvalRules,
    dispose,
  };
}

/** Opens the record of changed files, which is in VS Code's storage and never in the folder itself. */
function openChanges(ui: WindowUi, { folder, place, writeRecords }: WindowServices): Promise<ChangeTracker> {
  const storage = folderStorage(ui, folder) ?? ui.place.storageDir;
  return ChangeTracker.open({ dir: join(storage, 'changes'), cwd: place.cwd, writeRecords, log: ui.log });
}

function monitorFor(
  {
    ui,
    services,
    host,
    agents,
    log,
  }: { ui: WindowUi; services: WindowServices; host: HookHost; agents: AgentOverview; log: Log },
  conversations: () => Conversations,
): HookMonitor {
  return new HookMonitor({
    host,
    ui,
    agents,
    settings: services.vscodeSettings,
    services,
    conversation: () => conversations().active.conversation.forHooks,
    onDidRestore: async paths => {
      for (const { changes } of conversations().all) await changes.noteRestored(paths);
    },
    facts: () => {
      const { run, state, store } = conversations().active.conversation;
      const { messages } = run.agent;
      return { cwd: services.place.cwd, messages, model: state.model, sessionFile: store.getSessionFile() };
    },
    log,
  });
}

/** The model, thinking level and approval mode that a second window for debugging hooks takes over. */
function debugStartLike({ state, approvals }: Conversation): DebugStart {
  const { model, effectiveLevel } = state;
  return {
    ...(model === undefined ? {} : { provider: model.provider, modelId: model.id, thinkingLevel: effectiveLevel }),
    ...defined({ mode: approvals?.mode }),
  };
}

function localServersFor({ userMemory }: WindowUi, { models, vscodeSettings }: WindowServices): LocalServers {
  return new LocalServers({
    registry: models,
    memory: {
      get: () => userMemory.get(LOCAL_MODELS),
      set: value => userMemory.update(LOCAL_MODELS, value),
    },
    ports: () => vscodeSettings.value.localServers,
  });
}

async function startAs(conversation: Conversation, start: DebugStart, models: ModelRegistry): Promise<void> {
  const { provider, modelId, thinkingLevel, mode } = start;
  const model = provider === undefined || modelId === undefined ? undefined : models.find(provider, modelId);
  if (model !== undefined) await conversation.models.use(model, 'restore', thinkingLevel);
  if (mode !== undefined) conversation.approvals?.setMode(mode);
}

function editorFor(
  { log, texts, proposals, commandTerminals, statusBar, place }: WindowUi,
  { view, editors }: { readonly view: ChatView; readonly editors: ChatEditors },
  services: Pick<WindowServices, 'folder' | 'place'>,
  conversations: () => Conversations,
): VsCodeEditor {
  return new VsCodeEditor({
    log,
    texts,
    proposals,
    commandTerminals,
    folder: () => services.folder,
    setTitle: title => view.setTitle(title),
    setHookStatus: status => statusBar.showHookTexts(status),
    revealChat: conversation => void editors.reveal(conversation),
    isSeen: conversation => editors.isSeen(conversation),
    run: (command, argument) =>
      void vscode.commands.executeCommand(command, ...(argument === undefined ? [] : [argument])),
    files: { changelog: join(place.dir, 'CHANGELOG.md') },
    takeOverSession: () => conversations().active.conversation.takeOver(),
  });
}
