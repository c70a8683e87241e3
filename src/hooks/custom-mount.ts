import type { Component, TUI } from '@mariozechner/pi-tui';
import { customForm } from './dialects/callbacks';
import type { HandlerRun } from './handler-run';
import type { HookFunction } from './loaded-hook';
import type { HookServices } from './services';
import type { CustomHandle, CustomMount, HookUIContext } from './ui';

const EMPTY: Component = { render: () => [], invalidate: () => undefined };

/**
 * `ctx.ui.custom` in its three generations (C11): a component gives a handle at once (TREE), a factory a promise of
 * what its `done` is called with.
 */
export function mountCustom(
  run: HandlerRun,
  services: HookServices,
  port: HookUIContext,
  given: readonly unknown[],
): unknown {
  const [first, second] = given;
  if (typeof first === 'function') return mountFactory(run, services, port, first as HookFunction, optionsOf(second));
  return mountComponent(run, port, first, second);
}

interface CustomOptions {
  readonly overlay: boolean;
  readonly overlayOptions?: unknown;
  readonly onHandle?: (handle: unknown) => void;
}

function optionsOf(value: unknown): CustomOptions {
  if (typeof value !== 'object' || value === null) return { overlay: false };
  const { overlay, overlayOptions, onHandle } = value as Readonly<Record<string, unknown>>;
  return {
    overlay: overlay === true,
    ...(overlayOptions === undefined ? {} : { overlayOptions }),
    ...(typeof onHandle === 'function' ? { onHandle: onHandle as (handle: unknown) => void } : {}),
  };
}

function mountComponent(run: HandlerRun, port: HookUIContext, component: unknown, done: unknown): object {
  if (!isComponent(component)) {
    throw new TypeError('ctx.ui.custom needs a component with a render method, or a factory');
  }
  const handle = port.custom({ overlay: false, create: () => component }, run.origin);
  void run
    .asks(() => handle.closed)
    .then(() => {
      if (typeof done === 'function') Reflect.apply(done, undefined, []);
    });
  return {
    close: () => {
      handle.close();
    },
    requestRender: () => {
      handle.requestRender();
    },
  };
}

async function mountFactory(
  run: HandlerRun,
  services: HookServices,
  port: HookUIContext,
  factory: HookFunction,
  options: CustomOptions,
): Promise<unknown> {
  const failure: { error?: unknown; failed: boolean } = { failed: false };
  const mount = factoryMount(run, services, factory, (error, close) => {
    failure.failed = true;
    failure.error = error;
    close(undefined);
  });
  const { overlay, overlayOptions } = options;
  const handle = port.custom(
    { ...mount, overlay, ...(overlayOptions === undefined ? {} : { overlayOptions }) },
    run.origin,
  );
  options.onHandle?.(overlayHandle(handle));
  const value = await run.asks(() => handle.closed);
  if (failure.failed) throw failure.error;
  return value;
}

/** A mount whose factory cannot break its host: what it throws goes to `onFailure`, and nothing is shown. */
function factoryMount(
  run: HandlerRun,
  services: HookServices,
  factory: HookFunction,
  onFailure: (error: unknown, close: (value: unknown) => void) => void,
): Pick<CustomMount, 'create'> {
  const keybindingsThird = customForm(factory, run.hook.dialect) === 'keybindings';
  const build = async (tui: TUI, close: (value: unknown) => void): Promise<Component> => {
    try {
      const theme = services.theme.current;
      const built = keybindingsThird
        ? factory(tui, theme, keybindings(services), close)
        : factory(tui, theme, close, close);
      const component = await built;
      if (isComponent(component)) return component;
      throw new TypeError('the factory given to ctx.ui.custom returned no component');
    } catch (error) {
      onFailure(error, close);
      return EMPTY;
    }
  };
  return { create: build };
}

/** Widgets, headers, footers and editors: factories of `(tui, theme, more)`; failures are reported, nothing is shown. */
export function placedMount(
  run: HandlerRun,
  services: HookServices,
  factory: HookFunction,
  more: unknown,
): CustomMount {
  return {
    overlay: false,
    create(tui) {
      try {
        const component = factory(tui, services.theme.current, more);
        if (isComponent(component)) return component;
        throw new TypeError('the factory returned no component');
      } catch (error) {
        services.report(run.hook, run.subject.event, error);
        return EMPTY;
      }
    },
  };
}

function overlayHandle(handle: CustomHandle): object {
  return {
    hide: () => {
      handle.close();
    },
    setHidden: (hidden: boolean) => {
      if (hidden) handle.close();
    },
    isHidden: () => false,
  };
}

function keybindings(services: HookServices): unknown {
  const get = services.shipped('@mariozechner/pi-tui')?.['getKeybindings'];
  return typeof get === 'function' ? Reflect.apply(get, undefined, []) : undefined;
}

function isComponent(value: unknown): value is Component {
  return typeof value === 'object' && value !== null && typeof (value as { render?: unknown }).render === 'function';
}
