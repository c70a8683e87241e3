import type { HookInfo } from '../../hook-contract/hook-info';
import type { HandlerKey } from '../../hook-insight/stats';
import { calledAs } from '../../hook-contract/called-as';

/** What an action on hooks applies to: a hook, or one handler, command or tool of it. */
export type HookTarget = { readonly hookPath: string } & Partial<Pick<HandlerKey, 'registeredAs' | 'nth'>>;

/** Reads the argument of a command: a row of the Hooks view or the target of a lens. Undefined for anything else. */
export function targetIn(argument: unknown): HookTarget | undefined {
  if (typeof argument !== 'object' || argument === null || !('hookPath' in argument)) return undefined;
  const { hookPath } = argument;
  if (typeof hookPath !== 'string') return undefined;
  const registeredAs = 'registeredAs' in argument ? argument.registeredAs : undefined;
  const nth = 'nth' in argument ? argument.nth : undefined;
  if (typeof registeredAs !== 'string') return { hookPath };
  return { hookPath, registeredAs, nth: typeof nth === 'number' ? nth : 0 };
}

/** One handler or command of a hook, with its place in the source. */
export interface Registered extends HandlerKey {
  readonly label: string;
  /** Absolute path of the source file. */
  readonly file: string;
  /** 1-based; undefined when it is not known. */
  readonly line: number | undefined;
}

/** The handlers of a hook, then its commands, each in the order of registration. */
export function registeredIn({ path, handlers, commands }: HookInfo): readonly Registered[] {
  const seen = new Map<string, number>();
  const listening = handlers.map(({ event, line, file = path }) => {
    const nth = seen.get(event) ?? 0;
    seen.set(event, nth + 1);
    return { hookPath: path, registeredAs: event, nth, label: event, file, line };
  });
  const running = commands.map(({ name, line, file = path }) => ({
    hookPath: path,
    registeredAs: calledAs('command', name),
    nth: 0,
    label: `/${name}`,
    file,
    line,
  }));
  return [...listening, ...running];
}

/** The tools that a hook registers, in the order of registration. Their calls are on cards, and not counted per hook. */
export function hookToolsIn({ path, tools }: HookInfo): readonly (Registered & { readonly description: string })[] {
  return tools.map(({ name, description, line, file = path }) => ({
    hookPath: path,
    registeredAs: calledAs('tool', name),
    nth: 0,
    label: name,
    description,
    file,
    line,
  }));
}

/** The place to open for a target: where it is registered, else the hook's first problem, else what it registers first. */
export function targetPlace(info: HookInfo, target: HookTarget): { readonly file: string; readonly line: number } {
  const all = [...registeredIn(info), ...hookToolsIn(info)];
  const own = all.find(each => each.registeredAs === target.registeredAs && each.nth === (target.nth ?? 0));
  if (own !== undefined) return { file: own.file, line: own.line ?? 1 };
  const problem = 'problems' in info.state ? info.state.problems[0] : undefined;
  if (problem !== undefined) return { file: problem.file ?? info.path, line: Math.max(1, problem.line ?? 1) };
  const [first] = all;
  return { file: first?.file ?? info.path, line: first?.line ?? 1 };
}
