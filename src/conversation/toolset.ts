import type { AnyTool } from '../agent/tools/tool';
import type { HookConversation } from '../hooks/conversation-port';
import type { HookRuntime } from './hook-runtime';

/** Which tools the model may call, and in what order of wrapping they run. */
export class Toolset {
  /** Tools that were switched off; later tools are not in it and so are active. */
  private inactive: ReadonlySet<string> = new Set();
  private cached: { readonly key: unknown[]; readonly tools: readonly AnyTool[] } | undefined;
  private version = 0;

  constructor(
    private readonly builtIn: readonly AnyTool[],
    private readonly hooks: HookRuntime,
    private readonly conversation: () => HookConversation,
    /** Told when a tool itself begins, after all hooks let it pass. */
    private readonly onRun: (toolCallId: string) => void,
    /** Awaited before a call is shown to hooks, so that they saw everything that came before it. */
    private readonly before: (signal: AbortSignal | undefined) => Promise<void>,
  ) {}

  /** Built-in and hook tools; a hook's tool takes the place of a built-in one of its name (reference section 6). */
  all(): readonly AnyTool[] {
    const byName = new Map(this.builtIn.map(tool => [tool.name, tool]));
    for (const tool of this.hooks.tools(this.conversation())) byName.set(tool.name, tool);
    return [...byName.values()];
  }

  activeNames(): readonly string[] {
    return this.choose(this.all()).map(tool => tool.name);
  }

  /** Unknown names are ignored. Tools that hooks register later are active at once (reference 20.51). */
  setActive(names: readonly string[]): void {
    const wanted = new Set(names);
    this.inactive = new Set(
      this.all()
        .map(tool => tool.name)
        .filter(name => !wanted.has(name)),
    );
    this.version += 1;
  }

  /** The active tools as the model knows them, unwrapped. */
  chosen(): readonly AnyTool[] {
    return this.choose(this.all());
  }

  /** The active tools, wrapped so that hooks see every call. */
  wrapped(): readonly AnyTool[] {
    const chosen = this.chosen();
    const key = [this.version, ...chosen];
    if (this.cached !== undefined && sameMembers(this.cached.key, key)) return this.cached.tools;
    const observed = chosen.map(tool => this.observe(tool));
    const wrapped = this.hooks.wrapTools(observed, this.conversation()).map(tool => this.ordered(tool));
    this.cached = { key, tools: wrapped };
    return wrapped;
  }

  private choose(tools: readonly AnyTool[]): readonly AnyTool[] {
    return tools.filter(tool => !this.inactive.has(tool.name));
  }

  private observe(tool: AnyTool): AnyTool {
    return {
      ...tool,
      execute: (toolCallId, params: unknown, signal, onUpdate) => {
        this.onRun(toolCallId);
        return tool.execute(toolCallId, params, signal, onUpdate);
      },
    };
  }

  private ordered(tool: AnyTool): AnyTool {
    return {
      ...tool,
      execute: async (toolCallId, params: unknown, signal, onUpdate) => {
        await this.before(signal);
        return tool.execute(toolCallId, params, signal, onUpdate);
      },
    };
  }
}

function sameMembers(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((member, index) => member === b[index]);
}
