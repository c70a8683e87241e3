import type { Component } from '@mariozechner/pi-tui';
import type { HookFunction, LoadedHook } from '../../loaded-hook';
import type { HookServices } from '../services';

/** Draws a message of a hook; undefined: draw it as any other message. Never throws; what it gives may. */
export interface MessageRenderer {
  (message: unknown, options: { readonly expanded: boolean; readonly width: number }): Component | undefined;
  /** Takes what a component threw while it rendered, and tells it as the hook's error. */
  failed(error: unknown): void;
}

/** Draw a call of a hook's tool and its result; undefined: as any other tool. See {@link MessageRenderer}. */
export interface ToolRenderers {
  /** `context` is the last argument of pi 0.73's renderers. */
  readonly call: (args: unknown, context?: object) => Component | undefined;
  readonly result: (
    result: unknown,
    options: { readonly expanded: boolean; readonly isPartial: boolean },
    context?: object,
  ) => Component | undefined;
  readonly failed: (error: unknown) => void;
}

/** The renderer that a hook registered for a type of message (docs/dialects.md, D12). */
export function messageRenderer(
  hooks: readonly LoadedHook[],
  customType: string,
  services: HookServices,
): MessageRenderer | undefined {
  const hook = hooks.find(candidate => candidate.renderers.has(customType));
  const renderer = hook?.renderers.get(customType);
  if (hook === undefined || renderer === undefined) return undefined;
  const event = `render:${customType}`;
  const draw = (message: unknown, options: { readonly expanded: boolean; readonly width: number }) =>
    drawn(hook, services, event, () => renderer(message, options, services.theme.current));
  return Object.assign(draw, {
    failed: (error: unknown) => tellOnce(hook, services, event, error),
  });
}

/** The renderers in a tool's definition. */
export function toolRenderers(
  hooks: readonly LoadedHook[],
  toolName: string,
  services: HookServices,
): ToolRenderers | undefined {
  const hook = hooks.find(candidate => candidate.tools.has(toolName));
  const definition = hook?.tools.get(toolName)?.definition;
  if (hook === undefined || definition === undefined) return undefined;
  const member = (name: string): HookFunction => {
    const code = definition[name];
    return typeof code === 'function'
      ? (...given) => Reflect.apply(code, definition, given) as unknown
      : () => undefined;
  };
  const event = `render:${toolName}`;
  return {
    call: (args, context) =>
      drawn(hook, services, event, () => member('renderCall')(args, services.theme.current, context)),
    result: (result, options, context) =>
      drawn(hook, services, event, () => member('renderResult')(result, options, services.theme.current, context)),
    failed: error => tellOnce(hook, services, event, error),
  };
}

function drawn(hook: LoadedHook, services: HookServices, event: string, draw: () => unknown): Component | undefined {
  try {
    const component = draw();
    if (component === undefined || component === null) return undefined;
    if (typeof component === 'object' && typeof (component as Partial<Component>).render === 'function') {
      return component as Component;
    }
    throw new TypeError('the renderer returned no component');
  } catch (error) {
    tellOnce(hook, services, event, error);
    return undefined;
  }
}

const told = new WeakMap<LoadedHook, Set<string>>();

/** Renderers run again at each change; a failure that was told is not told again by the same load. */
function tellOnce(hook: LoadedHook, services: HookServices, event: string, error: unknown): void {
  const known = told.get(hook) ?? new Set<string>();
  told.set(hook, known);
  const what = `${event} ${error instanceof Error ? error.message : String(error)}`;
  if (known.has(what)) return;
  known.add(what);
  services.report(hook, event, error);
}
