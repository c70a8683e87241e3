import type { AnyTool } from '../agent/tools/tool';
import type { HookConversation } from '../hooks/conversation-port';
import type { HookRuntime } from './hook-runtime';

export interface ToolsetParts {
  readonly builtIn: () => readonly AnyTool[];
  readonly hooks: HookRuntime;
  readonly conversation: HookConversation;
  /** Told when a tool itself begins, after all hooks let it pass; the tool waits for it. */
  readonly onRun: (tool: AnyTool, toolCallId: string, params: unknown) => Promise<void>;
  /** Awaited before a call is shown to hooks, so that they saw everything that came before it. */
  readonly before: (signal: AbortSignal | undefined) => Promise<void>;
}

/** Which tools the model may call, and in what order of wrapping they run. */
export class Toolset {
  /** Tools that were switched off; later tools are not in it and so are active. */
  private inactive: ReadonlySet<string> = new Set();
  private cached: { readonly key: unknown[]; readonly tools: readonly AnyTool[] } | undefined;
  private version = 0;

  constructor(private readonly parts: ToolsetParts) {}

  /** Built-in and hook tools; a hook's tool takes the place of a built-in one of its name (reference section 6). */
  all(): readonly AnyTool[] {
    const byName = new Map(this.parts.builtIn().map(tool => [tool.name, tool]));
    for (const tool of this.parts.hooks.tools(this.parts.conversation)) byName.set(tool.name, tool);
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
    const wrapped = this.parts.hooks.wrapTools(observed, this.parts.conversation).map(tool => this.ordered(tool));
    this.cached = { key, tools: wrapped };
    return wrapped;
  }

  private choose(tools: readonly AnyTool[]): readonly AnyTool[] {
    return tools.filter(tool => !this.inactive.has(tool.name));
  }

  private observe(tool: AnyTool): AnyTool {
    return {
      ...tool,
      execute: async (toolCallId, params: unknown, signal, onUpdate) => {
        await this.parts.onRun(tool, toolCallId, params);
        return tool.execute(toolCallId, params, signal, onUpdate);
      },
    };
  }

  private ordered(tool: AnyTool): AnyTool {
    return {
      ...tool,
      execute: async (toolCallId, params: unknown, signal, onUpdate) => {
        await this.parts.before(signal);
        return tool.execute(toolCallId, params, signal, onUpdate);
      },
    };
  }
}

function sameMembers(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((member, index) => member === b[index]);
}
