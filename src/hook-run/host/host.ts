import type { AnyTool, GatedTool } from '../../agent/tools/tool';
import { DisposableStore, type Disposable, toDisposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { Emitter, type Event } from '../../base/event';
import type { Problem } from '../../base/result';
import type { AskedCall } from '../../hook-contract/approvals/asked-call';
import { GateHook } from '../tool-call/gate-hook';
import { passed, type CallState, type GateAnswer } from '../../gate/approval-settings';
import type { WatchedTool } from '../../gate/held-changes/agent-changes';
import { HookApprovals } from '../../gate/held-changes/hook-approvals';
import { heldSourcesOf, type HeldSource } from '../../gate/held-changes/held-sources';
import type { HookDifference } from '../../gate/held-changes/hold-changes';
import { HandlerClock } from '../dispatch/clock';
import { HookCommands } from '../api/commands/commands';
import { HookContext } from '../api/context';
import type { HookConversation } from '../../hook-contract/conversation-port';
import type { ChildCall } from './child-call';
import { HookConversations } from './hook-conversations';
import { hookError } from '../../hook-contract/errors';
import { PromptSpans } from './prompt-spans';
import { EventBus } from '../api/event-bus';
import { RegisteredMcpServers } from '../api/mcp-servers';
import type { HookInfo } from '../../hook-contract/hook-info';
import type { HookHostOptions } from './host-options';
import { HookSessions, type HostTimeouts } from './hook-sessions';
import { CurrentSet } from './current-set';
import { DeletedGlobals } from './deleted-globals';
import {
  infoOf,
  liveFileOf,
  runningFileOf,
  type LiveFile,
  type RunningFile,
  type Slot,
} from '../../hook-load/files/hook-slot';
import type { HookScope, RegisteredFlag } from '../../hook-contract/loaded-hook';
import { ForcedReload, ReloadQueue } from './reload-queue';
import { missingGatesOf, missingGateText, type MissingGates } from './missing-gate';
import type { HookError, NoEffect } from '../../hook-contract/record';
import { DispatchRecords } from '../dispatch/dispatch-records';
import { HookDrawing } from '../api/ui/renderers';
import { HookRunner } from '../dispatch/runner';
import { gatedTool, type CallPath } from '../tool-call/tool-call';
import type { HookServices } from '../api/services';
import type { RunningCall } from '../api/tools/running-call';
import { customTools } from '../api/tools/tools';
import type { ThemeSwitch } from '../../hook-contract/ui/theme';

/** VS Code gives an extension five seconds for its end. */
const TIMEOUTS: HostTimeouts = { farewell: 4_000, greeting: 2_000 };

/**
 * Owns the current set of hooks of a window: loads it, swaps it atomically on reload, and says what became of each
 * file. Conversations attach themselves; they emit their own events through `runner`.
 */
export class HookHost<S extends HookScope = HookScope> {
  readonly runner: HookRunner;
  readonly commands: HookCommands;
  readonly records = new DispatchRecords();
  readonly theme: ThemeSwitch;
  /** The MCP servers that hooks registered. */
  readonly mcpServers: RegisteredMcpServers;
  private readonly changeEmitter = new Emitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  private readonly closeEmitter = new Emitter<HookConversation>();
  /** Fires when a conversation was closed. */
  readonly onDidClose = this.closeEmitter.event;
  private readonly promptSpans: PromptSpans;
  private readonly errorEmitter = new Emitter<HookError>();
  readonly onError = this.errorEmitter.event;
  private readonly noEffectEmitter = new Emitter<NoEffect>();
  /** Fires when a hook uses what can have no effect in the session of another agent. */
  readonly onNoEffect = this.noEffectEmitter.event;
  readonly onDidCallInChild: Event<ChildCall>;

  private readonly store = new DisposableStore();
  private readonly conversations = new HookConversations();
  /** The start and end of sessions, as hooks get them. */
  readonly sessions: HookSessions;
  private readonly clock = new HandlerClock();
  private readonly services: HookServices;
  /** How hooks draw what a conversation shows. */
  readonly drawing: HookDrawing;
  private readonly set: CurrentSet<S>;
  private readonly gate: GateHook | undefined;
  private readonly deletedGlobals: DeletedGlobals;
  private readonly approvals: HookApprovals;
  private readonly toolLists = new WeakMap<
    HookConversation,
    { readonly version: number; readonly tools: readonly AnyTool[] }
  >();
  private loadedOnce = false;
  private readonly reloads = new ReloadQueue(fresh => this.reloadNow(fresh));

  constructor(private readonly options: HookHostOptions<S>) {
    this.theme = options.theme;
    this.mcpServers = new RegisteredMcpServers(options.checkMcpServer);
    this.onDidCallInChild = options.childCalls;
    this.services = this.createServices();
    this.approvals = new HookApprovals({
      check: async () => {
        await options.readLists();
        await this.reload();
      },
      kept: options.approvals,
      isProjectTrusted: () => this.services.isProjectTrusted(),
      untrusted: { list: options.untrustedHooks, read: file => options.loader.read(file) },
      approveChanges: () => options.settings().approveChanges,
      log: this.services.log,
    });
    this.deletedGlobals = new DeletedGlobals({
      loaded: () => this.runner.loaded,
      blackBox: options.blackBox,
      report: error => this.report(error),
    });
    this.runner = new HookRunner({
      clock: this.clock,
      records: this.records,
      hookTimeoutMs: () => options.settings().hookTimeout,
      context: run => new HookContext(run, this.services),
      within: (conversation, code) => this.conversations.within(conversation, code),
      alone: (conversation, code) => this.conversations.alone(conversation, code),
      report: error => this.report(error),
      restoreGlobals: () => this.deletedGlobals.restore(),
    });
    this.sessions = new HookSessions(this.runner, this.conversations, { ...TIMEOUTS, ...options.timeouts });
    this.gate = options.gate && this.createGate(options.gate);
    this.drawing = new HookDrawing(() => this.runner.loaded, this.services);
    this.promptSpans = new PromptSpans(this.runner, conversation => this.conversations.all.includes(conversation));
    this.commands = new HookCommands(this.runner, this.services, options.builtInCommands, this.records);
    const { services, runner, sessions, approvals, deletedGlobals } = this;
    this.set = new CurrentSet({
      options,
      services,
      runner,
      sessions,
      approvals,
      deletedGlobals,
      missingGates: () => this.missingGates(),
      report: error => this.report(error),
    });
    if (options.blackBox !== undefined) this.store.add(this.deletedGlobals.restoreAtFailure());
    for (const member of [
      this.approvals,
      this.clock,
      this.records,
      this.changeEmitter,
      this.errorEmitter,
      this.noEffectEmitter,
      this.closeEmitter,
    ]) {
      this.store.add(member);
    }
  }

  /** Restores globals that hooks deleted, without which nothing goes on, and reports it. */
  restoreGlobals(): void {
    this.deletedGlobals.restore();
  }

  /**
   * Loads what is new or changed and swaps the set. Calls made while one runs share a single further run. Hooks that
   * fail are listed in {@link infos}; rejects only when discovery does. `freshAll` loads unchanged files too, and
   * `fresh` one of them, by its path, which also approves what a tool did to it. `onlyHooks`: packages are read again
   * only if the code of a hook of theirs changed.
   */
  reload(
    options: { readonly freshAll?: boolean; readonly fresh?: string; readonly onlyHooks?: boolean } = {},
  ): Promise<void> {
    const { freshAll = false, fresh, onlyHooks = false } = options;
    if (this.options.loadsOnce && this.loadedOnce) return Promise.resolve();
    if (fresh !== undefined) this.approvals.approveNow(fresh);
    const paths = new Set(fresh === undefined ? [] : [fresh]);
    return this.reloads.request(new ForcedReload(freshAll, paths, !onlyHooks));
  }

  /**
   * Starts files again that got the end of a session and end with it, as pi starts all files for each session: only their
   * factory opens again what they closed. To be called while a conversation changes its session. Never rejects.
   */
  async renew(conversation: HookConversation): Promise<void> {
    if (this.options.loadsOnce) return;
    const ended = this.runner.loaded.filter(
      ({ dialect, features }) => dialect.endsWithSession && features.events.has('session_shutdown'),
    );
    if (ended.length === 0) return;
    const paths = new Set(ended.map(({ path }) => path));
    const reload = (): Promise<void> => this.reloads.request(new ForcedReload(false, paths));
    try {
      await this.sessions.whileMoving(conversation, paths, reload);
    } catch (error) {
      this.services.log.warn(`The hooks did not start again for another session: ${messageOf(error)}`);
    }
  }

  /** A tool of the agent whose calls pass the hooks and gates of this host: see {@link gatedTool}. */
  gateTool(tool: AnyTool, at: Pick<CallPath, 'conversation' | 'parentToolCallId' | 'around'>): GatedTool {
    const { runner, gate: builtInGate } = this;
    return gatedTool(tool, { ...at, runner, builtInGate, duringCall: (...given) => this.duringCall(...given) });
  }

  /**
   * Runs a call of a tool, of a session that a hook made, too. What it changes of the hooks' files, and while what it
   * started lives, waits for approval.
   */
  duringCall<T>(tool: WatchedTool, call: () => Promise<T>): Promise<T> {
    const counted = (): Promise<T> => this.approvals.calls.duringCall(tool, call);
    return this.options.duringCall?.(tool, counted) ?? counted();
  }

  /** See {@link onNoEffect}. */
  noteNoEffect(noEffect: NoEffect): void {
    this.noEffectEmitter.fire(noEffect);
  }

  /** Whether a change of a hook's files that is seen now counts as the agent's. */
  get isGuarding(): boolean {
    return this.approvals.calls.isGuarding;
  }

  /** What the agent's commands left running after the last call, in words; looked for a second after it. */
  get leftRunning(): string | undefined {
    return this.approvals.calls.stillRunning;
  }

  /** The user saved this file in the editor, so its current content needs no approval. */
  savedInEditor(path: string): void {
    this.approvals.calls.savedInEditor(path);
  }

  /** Differences that apply without approval, because no tool made them; see {@link HookDifference}. */
  get differences(): readonly HookDifference[] {
    return this.approvals.differences;
  }

  /** Approves the files on disk of the hook with this path, or of all hooks that wait and are not turned off. */
  async approve(path?: string): Promise<void> {
    const isShown = ({ waiting, file }: Slot): boolean => waiting !== undefined && file.disabled !== true;
    const shown = this.set.slots.filter(isShown).map(slot => slot.file.path);
    await this.approvals.approve(path === undefined ? shown : [path]);
    await this.reload();
  }

  /** The user wants a stopped hook to run again: the next load runs it. */
  letRun(path: string): void {
    this.options.blackBox?.forget(path);
  }

  /** Loads a stopped hook again; a change that waits for approval keeps waiting. */
  runAgain(path: string): Promise<void> {
    this.letRun(path);
    return this.reloads.request(new ForcedReload(false, new Set([path])));
  }

  /**
   * Restores the approved files of a hook that waits. Rejects with an error that names the file when that fails, for
   * example because a manifest names other files now.
   */
  async reject(path: string): Promise<void> {
    const slot = this.set.waitingSlotOf(path);
    if (slot === undefined) return;
    await this.approvals.restore(slot);
    await this.options.readLists();
    await this.reload();
    if (this.set.slotOf(path)?.waiting !== 'vanished') return;
    throw new Error(`${path} is as you approved it, but nothing loads it anymore: check the package.json beside it.`);
  }

  /** The source that a running hook was loaded from: its entry and what it imports relatively. */
  sourcesOf(path: string): readonly { readonly path: string; readonly text: string }[] {
    return this.set.slotOf(path)?.live?.module.sources ?? [];
  }

  /** Sources of a hook that waits for approval, with the text that runs; undefined for code that is new. */
  heldSources(path: string): readonly HeldSource[] {
    const slot = this.set.waitingSlotOf(path);
    return slot === undefined ? [] : heldSourcesOf(slot);
  }

  /** The files of hooks that run here or should, in order. */
  runningFiles(): readonly RunningFile[] {
    return this.set.slots.flatMap(slot => runningFileOf(slot) ?? []);
  }

  /** The hooks that run now, in order. */
  liveFiles(): readonly LiveFile[] {
    return this.set.slots.flatMap(slot => liveFileOf(slot) ?? []);
  }

  infos(): readonly HookInfo[] {
    return this.set.slots.map(slot => infoOf(slot));
  }

  /** Hooks that ship with Hookline, which run after all others. */
  get builtIn(): readonly HookInfo[] {
    return this.gate === undefined ? [] : [this.gate.info];
  }

  /** Problems besides those of the files: paths that do not exist, what hooks registered and cannot be used as it is. */
  problems(): readonly Problem[] {
    return [
      ...this.set.problems,
      ...this.runner.loaded.flatMap(({ problems }) => problems),
      ...this.commands.problems(),
    ];
  }

  /** Tools that hooks registered, for one conversation; the same list until hooks register others. */
  tools(conversation: HookConversation): readonly AnyTool[] {
    const { version, loaded } = this.runner;
    const known = this.toolLists.get(conversation);
    if (known?.version === version) return known.tools;
    const tools = customTools(loaded, conversation, this.services);
    this.toolLists.set(conversation, { version, tools });
    return tools;
  }

  /** Flags that hooks registered, for the command line's help; the first loaded wins. */
  flags(): readonly RegisteredFlag[] {
    const flags = new Map<string, RegisteredFlag>();
    for (const hook of this.runner.loaded) {
      for (const flag of hook.flags.values()) if (!flags.has(flag.name)) flags.set(flag.name, flag);
    }
    return [...flags.values()];
  }

  /** Hooks that guard tools and do not run now. */
  missingGates(): MissingGates {
    const { confirmWithoutGates } = this.options.settings();
    return missingGatesOf(this.set.slots, { confirmWithoutGates, heldBackReason: this.options.heldBackReason?.() });
  }

  /** Text that names the gates that do not run, so that calls are asked about or refused; undefined when there is none. */
  missingGate(): string | undefined {
    return missingGateText(this.missingGates());
  }

  /** The conversation of the hook code that runs now. */
  conversationMeant(): HookConversation | undefined {
    return this.conversations.meantBy();
  }

  /**
   * Decides about a call of an agent that a hook of this process started, in the mode and with the rules of the
   * conversation that started it, or of the visible one. Never rejects.
   */
  async decideForChild(
    from: RunningCall | undefined,
    call: AskedCall,
    state: CallState,
    signal: AbortSignal,
  ): Promise<GateAnswer> {
    const conversation =
      this.conversations.all.find(({ id }) => id === from?.conversation) ?? this.conversations.meantBy();
    if (this.gate === undefined || conversation === undefined) return passed(state);
    const asked = { call, state, toolCallId: from?.toolCallId ?? '' };
    return this.gate.decideForChild(asked, conversation, { runner: this.runner, signal });
  }

  /** Registers an open conversation until the result is disposed. */
  attach(conversation: HookConversation): Disposable {
    const attached = this.conversations.attach(conversation);
    return toDisposable(() => {
      attached.dispose();
      this.closeEmitter.fire(conversation);
    });
  }

  setActive(conversation: HookConversation): void {
    this.conversations.setActive(conversation);
  }

  /** Ends all conversations for the hooks, then closes what they hold open. A reload that waits its turn is dropped. */
  async dispose(): Promise<void> {
    if (!this.reloads.isClosed) await this.approvals.calls.finish();
    await this.reloads.close();
    await this.sessions.farewellToAll();
    await this.set.release();
    this.store.dispose();
  }

  private async reloadNow(fresh: ForcedReload): Promise<void> {
    const first = !this.loadedOnce;
    const started = await this.set.swap(fresh);
    this.loadedOnce = true;
    for (const { hook } of started) {
      hook.onRegistered(() => this.changeEmitter.fire());
    }
    this.changeEmitter.fire();
    if (!first) await this.sessions.greet(started.map(live => live.hook));
  }

  private report(error: HookError): void {
    const place = error.file === undefined ? '' : ` (${error.file}:${error.line ?? 0})`;
    this.services.log.warn(`Hook "${error.hookPath}" error in ${error.event}: ${error.message}${place}`);
    // The hook is shown differently once a loop was stopped in it.
    const live = this.set.slotOf(error.hookPath)?.live;
    if (live?.hook.identity.scope.stopped !== undefined) live.hook.changed();
    const conversation = error.conversation ?? this.conversations.meantBy()?.id;
    this.errorEmitter.fire(conversation === undefined ? error : { ...error, conversation });
  }

  private async reportMcpServers(known: RegisteredMcpServers): Promise<void> {
    await this.runner.emit({ type: 'mcp_servers_change', servers: known.list() }, this.conversations.meantBy());
  }

  private createGate({ path, settings }: NonNullable<HookHostOptions['gate']>): GateHook {
    return new GateHook({
      path,
      settings,
      asking: (...asked) => this.services.asking(...asked),
      hookFiles: () => ({
        hooks: this.set.slots.map(({ file }) => file.path),
        hookFiles: this.set.slots.flatMap(slot => infoOf(slot).files ?? []),
      }),
      heldBack: () => this.set.slots.filter(slot => slot.heldBack === true).map(({ file }) => file.path),
    });
  }

  private createServices(): HookServices {
    const { options } = this;
    const { mcpServers } = this;
    return {
      conversationFor: handed => this.conversations.meantBy(handed),
      within: (conversation, code) => this.conversations.within(conversation, code),
      asking: (conversation, about, question) => this.promptSpans.during(conversation, about, question),
      cwd: options.cwd,
      mode: options.mode,
      isProjectTrusted: options.isProjectTrusted,
      exec: options.exec,
      loadOf: path => this.runner.loaded.find(hook => hook.path === path),
      report: (hook, event, thrown) => {
        if (thrown !== undefined && thrown === hook.identity.scope.stopped) return; // Reported when it was stopped.
        this.report(hookError(thrown, { hookPath: hook.path, event }, hook.identity.map));
      },
      bus: new EventBus(),
      theme: this.theme,
      providers: options.providers,
      mcp: { servers: mcpServers, changed: () => void this.reportMcpServers(mcpServers) },
      settings: options.writtenSettings,
      log: options.log,
      flagValue: options.flagValue,
      shipped: options.shipped,
    };
  }
}
