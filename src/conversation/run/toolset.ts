import { toolKind } from '../../hooks/built-in-gate/call-details';
import type { Approvals } from '../approvals/approvals';
import { createPlanTool } from '../approvals/plan-tool';
import { defaultTools } from '../../agent/settings/default-tools';
import { safeToolName } from '../../agent/tools/safe-name';
import { fitResultImages } from '../../agent/images/fit-images';
import type { AgentMessage } from '../../agent/messages';
import { recordedPrompt } from '../../agent/prompt-record';
import { isOpenElsewhere } from '../../agent/session/file/session-file';
import { rememberLast } from '../../base/remember-last';
import { ToolBlocked, type AnyTool, type ToolContext, type ToolLoadout, type ToolResult } from '../../agent/tools/tool';
import type { HookConversation } from '../../hooks/conversation-port';
import { beginSpan } from '../../hooks/dispatch/span';
import { createToolSearch, TOOL_SEARCH } from '../../mcp/tools/tool-search';
import type { ToolCards } from '../cards/tool-cards';
import type { SessionChanges } from '../changes/session-changes';
import type { SessionState } from '../session/session-state';
import type { ConversationPorts, OptionalTool } from '../ports';
import type { HookEventQueue } from './hook-event-queue';
import { NestedCallRunner, type CallOrigin } from './nested-calls';
import type { TodoReminders } from './todo-reminders';

export interface ToolsetParts {
  readonly ports: ConversationPorts;
  readonly todos: TodoReminders;
  /** The conversation as hooks see it. */
  readonly conversation: HookConversation;
  /** Show when a tool itself begins, after all hooks let it pass, and when it ends. */
  readonly cards: ToolCards;
  /** Keeps the content of files before a tool changes them; undefined where changes are not kept. */
  readonly changes: SessionChanges | undefined;
  /** Hooks get a call after all events before it. */
  readonly hookEvents: HookEventQueue;
  readonly approvals: Approvals | undefined;
  readonly state: Pick<SessionState, 'store'>;
}

/** A tool as a user who selects tools sees it. */
export interface ToolChoice {
  readonly name: string;
  readonly description: string;
  readonly origin: 'built-in' | 'hook' | 'mcp' | 'editor';
  readonly active: boolean;
}

/** Prefix of the name of an optional tool whose own name is taken. */
const OPTIONAL_PREFIX = 'vscode_';

/** The tools that the model may call, and the order of their wrappers. */
export class Toolset {
  /** Whether a tool was switched on or off, by name; others are as they were registered. */
  private readonly switched = new Map<string, boolean>();
  /** Tools that `defaultTools` of the settings leaves on or turns on, as last read. */
  private byDefault: ReadonlySet<string>;
  /** The same, at the start. */
  private readonly onAtFirst: ReadonlySet<string>;
  /** The user's decisions about optional tools; the others keep their default. */
  private readonly decided = new Map<string, boolean>();
  /** Tools that are declared because a search found them, as recorded in the session. */
  private found: ReadonlySet<string> = new Set();
  /** Finds them. */
  private readonly search: AnyTool;
  private readonly renamed = new WeakMap<AnyTool, AnyTool>();
  /** Counts changes of the chosen tools. */
  private version = 0;
  /** Ends plan mode. */
  private readonly planTool: AnyTool | undefined;
  /** The calls that tools make while they run. */
  readonly nested: NestedCallRunner;

  constructor(private readonly parts: ToolsetParts) {
    this.nested = new NestedCallRunner({
      order: () => parts.ports.hooks.runner.callOrder,
      callable: () => this.callable(),
      wrap: (tool, origin) => this.wrap(tool, origin),
    });
    this.search = createToolSearch({
      undeclared: () => this.undeclared(),
      declare: names => this.declare(names),
      ready: async signal => parts.ports.mcp?.ready(signal),
    });
    const { approvals, conversation } = parts;
    const gatePath = (): string | undefined => parts.ports.hooks.builtIn[0]?.path;
    this.planTool = approvals && createPlanTool({ approvals, conversation, gatePath });
    this.byDefault = this.defaultsFor(parts.ports.settings.current.defaultTools);
    this.onAtFirst = this.byDefault;
  }

  /**
   * Built-in and hook tools, a hook's in the place of a built-in one of its name, and those optional
   * ones that are offered, which take the place of none.
   */
  all(): readonly AnyTool[] {
    const offered = this.optional().filter(({ byDefault, tool }) => this.decided.get(tool.name) ?? byDefault);
    return this.joined(this.regular(), ...offered.map(({ tool }) => tool));
  }

  private readonly joined = rememberLast(
    (regular: ReadonlyMap<string, AnyTool>, ...offered: readonly AnyTool[]): readonly AnyTool[] => [
      ...regular.values(),
      ...offered,
    ],
  );

  activeNames(): readonly string[] {
    return this.active().map(tool => tool.name);
  }

  /**
   * Unknown and hidden names are ignored. Tools that hooks register later are as they are registered, and tools that a
   * search has not found are declared where one finds them.
   */
  setActive(names: readonly string[]): void {
    const wanted = new Set(names);
    const undeclared = new Set(this.undeclared().map(({ name }) => name));
    for (const { name } of this.all()) {
      if (wanted.has(name) || !undeclared.has(name)) this.switched.set(name, wanted.has(name));
    }
    this.version += 1;
  }

  /** Selects tools of {@link choices}; unlike {@link setActive} it can offer optional tools. */
  select(names: readonly string[]): void {
    for (const { tool } of this.optional()) this.decided.set(tool.name, names.includes(tool.name));
    this.setActive(names);
  }

  /** The session has another context now, which shows which tools were declared in it. */
  followContext(messages: readonly AgentMessage[]): void {
    this.found = new Set(recordedPrompt(messages).tools.map(({ name }) => name));
    this.version += 1;
  }

  /** Every tool that the model may get, active or not. */
  choices(): readonly ToolChoice[] {
    const active = new Set(this.activeNames());
    const { ports, conversation } = this.parts;
    const ofHooks = new Set(ports.hooks.tools(conversation).map(({ name }) => name));
    const ofServers = new Set(ports.mcp?.tools.all());
    const originOf = (tool: AnyTool): ToolChoice['origin'] => {
      if (ofServers.has(tool)) return 'mcp';
      return ofHooks.has(tool.name) ? 'hook' : 'built-in';
    };
    const choice = ({ name, description }: AnyTool, origin: ToolChoice['origin']): ToolChoice => ({
      name,
      description,
      origin,
      active: active.has(name),
    });
    return [
      ...[...this.regular().values()].filter(isOffered).map(tool => choice(tool, originOf(tool))),
      ...this.optional().map(({ tool }) => choice(tool, 'editor')),
    ];
  }

  /** The active tools as the model knows them, unwrapped. */
  chosen(): readonly AnyTool[] {
    return this.selection().active;
  }

  /** {@link chosen} and {@link all}. */
  selection(): { readonly active: readonly AnyTool[]; readonly all: readonly AnyTool[] } {
    const all = this.all();
    const declared = this.active(all);
    const isAsRegistered = declared.every(({ prepareLoadout }) => prepareLoadout === undefined);
    return { active: isAsRegistered ? declared : this.prepared(this.version, declared, all), all };
  }

  private readonly prepared = rememberLast(
    (_version: number, declared: readonly AnyTool[], registered: readonly AnyTool[]) =>
      preparedTools({ declared, callable: this.callable(), registered }),
  );

  /** The active tools, wrapped so that hooks see every call. */
  wrapped(): readonly AnyTool[] {
    return this.wrappedFor(this.version, this.chosen());
  }

  private readonly wrappedFor = rememberLast((_version: number, chosen: readonly AnyTool[]) =>
    chosen.map(tool => this.wrap(tool)),
  );

  /** The tools that other tools can call, unwrapped: active ones, and those that only other tools can call. */
  private callable(): readonly AnyTool[] {
    const active = new Set(this.activeNames());
    return this.all()
      .filter(tool => this.isInMode(tool))
      .filter(({ name, exposure = 'direct' }) =>
        exposure === 'direct' ? active.has(name) : exposure === 'codemode' || exposure === 'deferred',
      );
  }

  /** `origin`: a tool makes the call. */
  private wrap(tool: AnyTool, origin?: CallOrigin): AnyTool {
    const { hooks } = this.parts.ports;
    const { conversation } = this.parts;
    return this.ordered(hooks.wrapTool(this.observe(tool, origin), conversation, origin?.parentToolCallId));
  }

  private readonly builtIn = rememberLast(
    (hasTodos: boolean, isSearchOn: boolean, isPlanning: boolean): readonly AnyTool[] => {
      const { ports, todos } = this.parts;
      const search = isSearchOn ? [this.search] : [];
      const plan = this.planTool !== undefined && isPlanning ? [this.planTool] : [];
      return [...ports.builtInTools, ...(hasTodos ? [todos.tool] : []), ...search, ...plan];
    },
  );

  /** `defaultTools` of the settings names it, or tools of MCP servers are found with it. */
  private get isSearchOn(): boolean {
    const { settings, mcp } = this.parts.ports;
    const { defaultTools: listed = [] } = settings.current;
    return listed.includes(TOOL_SEARCH) || listed.includes(`+${TOOL_SEARCH}`) || mcp?.needsSearch === true;
  }

  /** The tools that are declared only when they are found, and were not yet. */
  private undeclared(): readonly AnyTool[] {
    const active = new Set(this.activeNames());
    return this.all().filter(tool => isSearched(tool) && !active.has(tool.name));
  }

  private declare(names: readonly string[]): void {
    for (const name of names) this.switched.delete(name);
    this.found = new Set([...this.found, ...names]);
    this.version += 1;
  }

  private regular(): ReadonlyMap<string, AnyTool> {
    const { ports, todos, conversation } = this.parts;
    const builtIn = this.builtIn(todos.isOffered, this.isSearchOn, this.isPlanning);
    return this.byName(builtIn, ports.mcp?.tools.all(), ports.hooks.tools(conversation));
  }

  /** Of two with the same name, the later one counts. */
  private readonly byName = rememberLast(
    (...lists: readonly (readonly AnyTool[] | undefined)[]): ReadonlyMap<string, AnyTool> => {
      const { allowsTool = () => true } = this.parts.ports;
      const tools = lists.flatMap(list => list ?? []);
      return new Map(tools.filter(({ name }) => allowsTool(name)).map(tool => [tool.name, tool]));
    },
  );

  /** Optional tools, with names that providers accept and that are unique. */
  private optional(): readonly OptionalTool[] {
    const given = this.parts.ports.optionalTools?.() ?? [];
    if (given.length === 0) return given;
    const taken = new Set(this.regular().keys());
    return given.map(({ tool, byDefault }) => {
      const name = safeToolName(tool.name, OPTIONAL_PREFIX, other => taken.has(other));
      taken.add(name);
      return { tool: this.named(tool, name), byDefault };
    });
  }

  /** The same object each time, so that nothing is wrapped again unnecessarily. */
  private named(tool: AnyTool, name: string): AnyTool {
    if (tool.name === name) return tool;
    const known = this.renamed.get(tool);
    if (known?.name === name) return known;
    const renamed = { ...tool, name };
    this.renamed.set(tool, renamed);
    return renamed;
  }

  /** Those of {@link all} that are declared. */
  private active(all = this.all()): readonly AnyTool[] {
    this.followSettings();
    return this.chosenFrom(all, this.version, this.isPlanning, this.isSearchOn);
  }

  private readonly chosenFrom = rememberLast(
    (tools: readonly AnyTool[], ..._choice: readonly (number | boolean)[]): readonly AnyTool[] => {
      const wanted = tools.filter(tool => isOffered(tool) && this.isInMode(tool));
      return wanted.filter(tool => tool === this.planTool || (this.switched.get(tool.name) ?? this.isOnAtFirst(tool)));
    },
  );

  private get isPlanning(): boolean {
    return this.parts.approvals?.mode === 'plan';
  }

  /** In plan mode only tools that read or present the plan are available. */
  private isInMode(tool: AnyTool): boolean {
    return !this.isPlanning || ['reads', 'plans'].includes(toolKind(tool));
  }

  private isOnAtFirst(tool: AnyTool): boolean {
    if (this.parts.ports.builtInTools.includes(tool)) return this.onAtFirst.has(tool.name);
    if (tool === this.search) return this.isSearchOn;
    return isSearched(tool) ? this.found.has(tool.name) : isActiveAtFirst(tool) || this.onAtFirst.has(tool.name);
  }

  private readonly defaultsFor = rememberLast((listed: readonly string[] | undefined) =>
    defaultTools(this.parts.ports.builtInTools, listed),
  );

  /**
   * Tools that settings add later are switched on; tools that they remove stay as they are, as after a reload of pi.
   */
  private followSettings(): void {
    const now = this.defaultsFor(this.parts.ports.settings.current.defaultTools);
    if (now === this.byDefault) return;
    const added = [...now].filter(name => !this.byDefault.has(name));
    this.byDefault = now;
    if (added.length === 0) return;
    for (const name of added) this.switched.set(name, true);
    this.version += 1;
  }

  /** Changes of a nested call count for the model's call at the top. */
  private observe(tool: AnyTool, origin?: CallOrigin): AnyTool {
    return {
      ...tool,
      execute: async (toolCallId, params: unknown, signal, onUpdate) => {
        const { cards, changes, conversation, ports } = this.parts;
        await this.refuseUnrecordable();
        cards.runs(toolCallId);
        const { rootId, calls, end } = this.nested.begin(toolCallId, signal, origin);
        const endChanges = await changes?.begin(tool, rootId, params);
        cards.clock.start(toolCallId);
        const about = { conversation: conversation.id, toolCallId, toolName: tool.name };
        const endSpan = beginSpan(ports.hooks.records, { kind: 'tool', ...about });
        try {
          return await tool.execute(toolCallId, params, signal, onUpdate, { ...this.context(), calls });
        } finally {
          end();
          cards.clock.stop(toolCallId);
          endSpan();
          await endChanges?.();
        }
      },
    };
  }

  /** What a call does could not be recorded once another has the session, and the answers to its questions do not count. */
  private async refuseUnrecordable(): Promise<void> {
    const access = await this.parts.state.store.confirmAccess();
    if (isOpenElsewhere(access)) throw new ToolBlocked(`${access.reason}, so this call was not run.`);
  }

  /** After all hooks, because images that they add to a result stay in the conversation, too. */
  private async fitted(result: ToolResult): Promise<ToolResult> {
    const isWanted = this.parts.ports.settings.current.images.autoResize;
    return isWanted && Array.isArray(result.content)
      ? { ...result, content: await fitResultImages(result.content) }
      : result;
  }

  /** The conversation as the built-in tools know it; those of hooks have their own `ctx`. */
  private context(): ToolContext {
    const { conversation } = this.parts;
    return {
      model: conversation.model(),
      thinkingLevel: conversation.thinkingLevel(),
      sessionManager: conversation.sessionManager as ToolContext['sessionManager'],
    };
  }

  private ordered(tool: AnyTool): AnyTool {
    return {
      ...tool,
      admit: async (toolCallId, params: unknown, signal) => {
        await this.parts.hookEvents.whenDelivered(signal);
        await tool.admit?.(toolCallId, params, signal);
      },
      execute: async (toolCallId, params: unknown, signal, onUpdate) => {
        await this.parts.hookEvents.whenDelivered(signal);
        return this.fitted(await tool.execute(toolCallId, params, signal, onUpdate));
      },
    };
  }
}

/** The active tools, with declarations as the last tool that changes them says. */
function preparedTools(loadout: ToolLoadout): readonly AnyTool[] {
  const changes = loadout.declared.flatMap(tool => tool.prepareLoadout?.(loadout) ?? []);
  return loadout.declared.map(tool => {
    const description = changes
      .findLast(({ descriptions }) => descriptions?.has(tool.name))
      ?.descriptions?.get(tool.name);
    const isHidden = changes.some(({ hidden }) => hidden?.has(tool.name));
    if (description === undefined && !isHidden) return tool;
    return { ...tool, description: description ?? tool.description, ...(isHidden ? { isUndeclared: true } : {}) };
  });
}

function isOffered({ exposure }: AnyTool): boolean {
  return exposure !== 'hidden';
}

function isSearched({ exposure }: AnyTool): boolean {
  return exposure === 'codemode' || exposure === 'deferred';
}

function isActiveAtFirst({ exposure = 'direct', defaultActive }: AnyTool): boolean {
  return defaultActive !== false && (exposure === 'direct' || exposure === 'model-only');
}
