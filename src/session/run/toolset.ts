import { toolKind } from '../../gate/calls/call-details';
import type { Approvals } from '../approvals/approvals';
import { createPlanTool } from '../approvals/plan-tool';
import { defaultTools } from '../../agent/settings/default-tools';
import { safeToolName } from '../../agent/tools/safe-name';
import type { AgentMessage } from '../../agent/messages';
import { recordedPrompt } from '../../agent/prompt/prompt-record';
import { toDisposable, type Disposable } from '../../base/disposable';
import { rememberLast } from '../../base/remember-last';
import type { AnyTool, GatedTool, KnownTool, ToolLoadout } from '../../agent/tools/tool';
import { createToolSearch, TOOL_SEARCH } from '../../mcp/tools/tool-search';
import type { OptionalTool } from '../ports/ports';
import { callSurroundings, type SurroundingParts } from './call-surroundings';
import { NestedCallRunner, type CallOrigin } from './nested-calls';
import type { TodoList } from './todo-list';

export interface ToolsetParts extends Omit<SurroundingParts, 'nested' | 'isUsable'> {
  readonly todos: TodoList;
  readonly approvals: Approvals | undefined;
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

/** The tools of a conversation, which of them are active, and which the model and other tools may call. */
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
  /** How many {@link holdToReading} are not over. */
  private holds = 0;
  /** Ends plan mode. */
  private readonly planTool: AnyTool | undefined;
  /** The calls that tools make while they run. */
  readonly nested: NestedCallRunner;

  constructor(private readonly parts: ToolsetParts) {
    this.nested = new NestedCallRunner({
      order: () => parts.ports.hooks.runner.callOrder,
      callable: () => this.callable(),
      gated: (name, origin) => {
        const tool = this.callable().find(each => each.name === name);
        return tool && this.gate(tool, origin);
      },
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
  all(): readonly KnownTool[] {
    return this.registered();
  }

  private registered(): readonly AnyTool[] {
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

  /**
   * Until it is disposed, the model and other tools can use only tools that read, and search for no others. Which tools
   * are active stays as it is.
   */
  holdToReading(): Disposable {
    this.holds += 1;
    return toDisposable(() => (this.holds -= 1));
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

  /** The active and usable tools as the model knows them. */
  chosen(): readonly KnownTool[] {
    return this.prepared();
  }

  /** {@link chosen} and {@link all}. */
  selection(): { readonly active: readonly KnownTool[]; readonly all: readonly KnownTool[] } {
    const all = this.registered();
    return { active: this.prepared(all), all };
  }

  private prepared(all = this.registered()): readonly AnyTool[] {
    const declared = this.usable(this.active(all), this.holds > 0);
    const isAsRegistered = declared.every(({ prepareLoadout }) => prepareLoadout === undefined);
    return isAsRegistered ? declared : this.preparedFor(this.version, declared, all);
  }

  private readonly preparedFor = rememberLast(
    (_version: number, declared: readonly AnyTool[], registered: readonly AnyTool[]) =>
      preparedTools(declared, { declared, callable: this.callable(), registered }),
  );

  /** {@link chosen}, as the calls of the model run them. */
  gated(): readonly GatedTool[] {
    return this.gatedFor(this.version, this.prepared());
  }

  private readonly gatedFor = rememberLast((_version: number, chosen: readonly AnyTool[]) =>
    chosen.map(tool => this.gate(tool)),
  );

  /** The tools that other tools can call: active ones, and those that only other tools can call. */
  private callable(): readonly AnyTool[] {
    const active = new Set(this.activeNames());
    return this.registered()
      .filter(tool => this.isInMode(tool) && this.isUsable(tool))
      .filter(({ name, exposure = 'direct' }) =>
        exposure === 'direct' ? active.has(name) : exposure === 'codemode' || exposure === 'deferred',
      );
  }

  /** `origin`: a tool makes the calls. */
  private gate(tool: AnyTool, origin?: CallOrigin): GatedTool {
    const { conversation, ports } = this.parts;
    const isUsable = (called: AnyTool): boolean => this.isUsable(called);
    const around = callSurroundings({ ...this.parts, nested: this.nested, isUsable }, origin);
    return ports.hooks.gateTool(tool, { conversation, parentToolCallId: origin?.parentToolCallId, around });
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
    return this.registered().filter(tool => isSearched(tool) && !active.has(tool.name));
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
  private active(all = this.registered()): readonly AnyTool[] {
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

  private readonly usable = rememberLast((tools: readonly AnyTool[], isHeld: boolean) =>
    isHeld ? tools.filter(tool => this.isUsable(tool)) : tools,
  );

  /** See {@link holdToReading}. */
  private isUsable(tool: AnyTool): boolean {
    return this.holds === 0 || (toolKind(tool) === 'reads' && tool.name !== TOOL_SEARCH);
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
}

/** The active tools, with declarations as the last tool that changes them says. */
function preparedTools(declared: readonly AnyTool[], loadout: ToolLoadout): readonly AnyTool[] {
  const changes = declared.flatMap(tool => tool.prepareLoadout?.(loadout) ?? []);
  return declared.map(tool => {
    const description = changes
      .findLast(({ descriptions }) => descriptions?.has(tool.name))
      ?.descriptions?.get(tool.name);
    const isHidden = changes.some(({ hidden }) => hidden?.has(tool.name));
    if (description === undefined && !isHidden) return tool;
    return { ...tool, description: description ?? tool.description, ...(isHidden ? { isUndeclared: true } : {}) };
  });
}

function isOffered({ exposure }: KnownTool): boolean {
  return exposure !== 'hidden';
}

function isSearched({ exposure }: KnownTool): boolean {
  return exposure === 'codemode' || exposure === 'deferred';
}

function isActiveAtFirst({ exposure = 'direct', defaultActive }: KnownTool): boolean {
  return defaultActive !== false && (exposure === 'direct' || exposure === 'model-only');
}
