import type { Component } from '@mariozechner/pi-tui';
import type { HookFunction, LoadedHook } from './loaded-hook';
import type { HookServices } from './services';

/** Draws a message of a hook; undefined: draw it as any other message. Never throws. */
export type MessageRenderer = (
  message: unknown,
  options: { readonly expanded: boolean; readonly width: number },
) => Component | undefined;

/** Draw a call of a hook's tool and its result; undefined: as any other tool. Never throw. */
export interface ToolRenderers {
  readonly call: (args: unknown) => Component | undefined;
  readonly result: (
    result: unknown,
    options: { readonly expanded: boolean; readonly isPartial: boolean },
  ) => Component | undefined;
}

/** The renderer that a hook registered for a type of message (reference section 6, D12). */
export function messageRenderer(
  hooks: readonly LoadedHook[],
  customType: string,
  services: HookServices,
): MessageRenderer | undefined {
  const hook = hooks.find(candidate => candidate.renderers.has(customType));
  const renderer = hook?.renderers.get(customType);
  if (hook === undefined || renderer === undefined) return undefined;
  return (message, options) =>
    drawn(hook, services, `render:${customType}`, () => renderer(message, options, services.theme.current));
}

/** The renderers in a tool's definition (reference section 6). */
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
    call: args => drawn(hook, services, event, () => member('renderCall')(args, services.theme.current)),
    result: (result, options) =>
      drawn(hook, services, event, () => member('renderResult')(result, options, services.theme.current)),
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
    services.report(hook, event, error);
    return undefined;
  }
}
