import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { clipped } from '../../base/text/clipped';
import { isReachable } from '../../base/files/on-disk';
import { findShell } from '../../agent/tools/shell/shell';
import { readShellHooks } from './read-settings';
import type { ShellEvent, ShellHook } from './shell-hook';
import { namesFor, toOurs, toTheirs } from './tool-names';
import { judge, type CommandEnd, type Judged, type ShellVerdict } from './verdict';

/** The options that the adapter's file in `.pi/hooks` passes. */
export interface ShellHookOptions {
  /** What happens to a call when a gate crashes, is late, or prints nothing that can be read. */
  readonly onFailure: 'block' | 'allow';
  /** Settings files with their content, in the order in which their hooks are called. */
  readonly sources: readonly { readonly file: string; readonly content: unknown }[];
}

type Handler = (event: Readonly<Record<string, unknown>>, ctx: ShellContext) => unknown;

/** The members of `pi` that the adapter uses. */
export interface ShellPi {
  on(event: string, handler: Handler): void;
  exec(
    command: string,
    args: readonly string[],
    options: {
      readonly cwd: string;
      readonly timeout: number;
      readonly env: Readonly<Record<string, string>>;
      readonly input: string;
    },
  ): Promise<CommandEnd>;
  sendUserMessage(text: string, options: { readonly deliverAs: 'followUp' }): unknown;
}

/** The members of `ctx` that the adapter uses. */
export interface ShellContext {
  readonly cwd: string;
  readonly hasUI: boolean;
  readonly ui: {
    confirm(title: string, message: string): Promise<boolean>;
    notify(message: string, level: 'info' | 'warning' | 'error'): void;
  };
  readonly sessionManager: { getSessionId(): string; getSessionFile(): string | undefined };
  abort(): void;
}

/** An event for shell hooks. `claude` and `github` are the members of the event for the two kinds of hooks. */
export interface ShellEventData {
  readonly event: ShellEvent;
  /** The names that a matcher is compared with; undefined if matchers do not count. */
  readonly subjects: readonly string[] | undefined;
  readonly claude: Readonly<Record<string, unknown>>;
  readonly github: Readonly<Record<string, unknown>>;
}

/** A verdict with the hook that gave it. */
export interface GivenVerdict extends ShellVerdict {
  readonly hook: ShellHook;
}

/** Runs the commands of settings files and reads their verdicts, one after the other in the order of the files. */
export class ShellRunner {
  readonly hooks: readonly ShellHook[];

  constructor(
    private readonly pi: ShellPi,
    private readonly options: ShellHookOptions,
    private readonly platform: NodeJS.Platform = process.platform,
  ) {
    const all = options.sources.flatMap(({ content }) => readShellHooks(content, { platform }).hooks);
    this.hooks = all.filter((hook, index) => all.findIndex(other => isSame(hook, other)) === index);
  }

  has(...events: readonly ShellEvent[]): boolean {
    return this.hooks.some(({ event }) => events.includes(event));
  }

  /** The hooks of this event whose matcher matches the tool. */
  forTool(event: ShellEvent, toolName: string): readonly ShellHook[] {
    return this.hooks.filter(
      hook => hook.event === event && namesFor(toolName, hook.naming).some(name => hook.matcher?.test(name) ?? true),
    );
  }

  /**
   * Calls every hook of an event, and returns their verdicts. A hook that fails gives none, and the user is notified.
   */
  async runHooks(data: ShellEventData, ctx: ShellContext): Promise<readonly GivenVerdict[]> {
    const given: GivenVerdict[] = [];
    for (const hook of this.hooks) {
      if (hook.event !== data.event) continue;
      if (
        data.subjects !== undefined &&
        hook.matcher !== undefined &&
        !data.subjects.some(name => hook.matcher?.test(name))
      ) {
        continue;
      }
      given.push(...(await this.runHook(hook, data, ctx)));
    }
    return given;
  }

  /** Like {@link runHooks}, for one hook; empty when the hook failed. */
  async runHook(hook: ShellHook, data: ShellEventData, ctx: ShellContext): Promise<readonly GivenVerdict[]> {
    const judged = await this.ask(hook, hook.naming === 'github' ? data.github : data.claude, ctx);
    if (judged.ok) return [{ ...this.applyVerdict(judged.verdict, ctx), hook }];
    ctx.ui.notify(`${clipped(hook.command, 80)}: ${judged.why}`, 'warning');
    return [];
  }

  /** The verdict of a gate. A failure counts as `deny`, unless the options say otherwise. */
  async askGate(hook: ShellHook, members: Readonly<Record<string, unknown>>, ctx: ShellContext): Promise<ShellVerdict> {
    const judged = await this.ask(hook, members, ctx);
    if (judged.ok) return this.applyVerdict(judged.verdict, ctx);
    const text = `The shell hook "${clipped(hook.command, 80)}" gave no verdict: ${judged.why}`;
    if (this.options.onFailure === 'block') return { decision: 'deny', reason: text };
    ctx.ui.notify(`${text}. Its settings count that as a yes.`, 'warning');
    return { decision: 'none', reason: '' };
  }

  /** The members that every event has. */
  common(event: ShellEvent, ctx: ShellContext): Readonly<Record<string, unknown>> {
    return {
      session_id: ctx.sessionManager.getSessionId(),
      transcript_path: ctx.sessionManager.getSessionFile() ?? '',
      cwd: ctx.cwd,
      permission_mode: 'default',
      hook_event_name: event,
    };
  }

  private async ask(hook: ShellHook, members: Readonly<Record<string, unknown>>, ctx: ShellContext): Promise<Judged> {
    const own = hook.naming === 'github' ? { timestamp: Date.now(), cwd: ctx.cwd } : this.common(hook.event, ctx);
    let shell: readonly [string, readonly string[]];
    try {
      shell = this.shellFor(hook);
    } catch (error) {
      return { ok: false, why: error instanceof Error ? error.message : String(error) };
    }
    const end = await this.pi.exec(shell[0], shell[1], {
      cwd: folderOf(hook, ctx.cwd),
      timeout: hook.timeoutMs,
      env: { CLAUDE_PROJECT_DIR: ctx.cwd, ...expanded(hook.env, { ...process.env, CLAUDE_PROJECT_DIR: ctx.cwd }) },
      input: `${JSON.stringify({ ...own, ...members })}\n`,
    });
    return judge(hook.event, end);
  }

  private applyVerdict(verdict: ShellVerdict, ctx: ShellContext): ShellVerdict {
    if (verdict.message !== undefined) ctx.ui.notify(verdict.message, 'warning');
    if (verdict.stop !== undefined) {
      ctx.ui.notify(verdict.stop, 'warning');
      ctx.abort();
    }
    return verdict;
  }

  private shellFor({ shell, command }: ShellHook): readonly [string, readonly string[]] {
    if (shell === 'powershell') return ['powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', command]];
    if (shell === 'sh' && this.platform !== 'win32') return ['/bin/sh', ['-c', command]];
    return [findShell({ platform: this.platform, env: process.env, exists: isReachable }), ['-c', command]];
  }
}

/** The members of the event that describe the call, with the names that this hook expects. */
export function toolMembers(
  hook: ShellHook,
  event: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
  cwd: string,
): Readonly<Record<string, unknown>> {
  const theirs = toTheirs({ name: String(event['toolName']), input }, hook.naming, cwd);
  if (hook.naming === 'github') return { toolName: theirs.name, toolArgs: JSON.stringify(theirs.input) };
  return { tool_name: theirs.name, tool_input: theirs.input, tool_use_id: event['toolCallId'] };
}

/**
 * Replaces the arguments of a call, in place, by those that the verdict contains; arguments that it lacks are removed.
 */
export function replaceInput(
  target: Record<string, unknown>,
  toolName: string,
  verdict: GivenVerdict | (ShellVerdict & { readonly hook: ShellHook }),
): void {
  if (verdict.updatedInput === undefined) return;
  const ours = toOurs(toolName, verdict.updatedInput, verdict.hook.naming);
  for (const name of Object.keys(target)) if (!(name in ours)) Reflect.deleteProperty(target, name);
  Object.assign(target, ours);
}

function folderOf({ cwd }: ShellHook, root: string): string {
  if (cwd === undefined) return root;
  const path = cwd.replace(/^~(?=$|\/)/, homedir());
  return isAbsolute(path) ? path : resolve(root, path);
}

/** Replaces `$NAME` and `${NAME}` by the variable's value. */
function expanded(env: Readonly<Record<string, string>>, values: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      value.replaceAll(
        /\$(?:\{(\w+)\}|(\w+))/g,
        (_whole, braced?: string, bare?: string) => values[braced ?? bare ?? ''] ?? '',
      ),
    ]),
  );
}

/** Whether two hooks run the same command for the same event, with nothing different that the command can see. */
function isSame(a: ShellHook, b: ShellHook): boolean {
  return (
    a.event === b.event &&
    a.command === b.command &&
    a.matcher?.source === b.matcher?.source &&
    a.cwd === b.cwd &&
    a.naming === b.naming &&
    a.shell === b.shell &&
    isDeepStrictEqual(a.env, b.env)
  );
}
