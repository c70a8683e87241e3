import type { Component, TUI } from '@mariozechner/pi-tui';
import { defined } from '../../../base/defined';
import type { Disposable } from '../../../base/disposable';
import { isRecord } from '../../../base/json/is-record';
import { customForm } from '../../../hook-contract/dialects/callbacks';
import type { HandlerRun } from '../../dispatch/handler-run';
import type { HookFunction } from '../../../hook-contract/loaded-hook';
import type { HookServices } from '../services';
import { shownText } from './ui-text';
import type { CustomHandle, CustomMount, HookUIContext } from '../../../hook-contract/ui/ui';

const EMPTY: Component = { render: () => [], invalidate: () => undefined };
/** The name of a component in a record: it has no title. */
const CUSTOM = { kind: 'custom', title: '' } as const;

/**
 * `ctx.ui.custom` in its three generations (docs/dialects.md, C11): a component returns a handle at once (TREE), a
 * factory returns a promise of the value that its `done` gets.
 */
export function mountCustom(
  run: HandlerRun,
  services: HookServices,
  port: HookUIContext,
  given: readonly unknown[],
): unknown {
  const [first, second] = given;
  if (typeof first === 'function') return mountFactory(run, services, port, first as HookFunction, optionsOf(second));
  return mountComponent(run, services, port, { component: first, done: second });
}

interface CustomOptions {
  readonly overlay: boolean;
  readonly overlayOptions?: unknown;
  readonly onHandle?: (handle: unknown) => void;
  /** What the user is waited for. */
  readonly blocked?: string;
}

function optionsOf(value: unknown): CustomOptions {
  if (typeof value !== 'object' || value === null) return { overlay: false };
  const { overlay, overlayOptions, onHandle, blocked } = value as Readonly<Record<string, unknown>>;
  return {
    overlay: overlay === true,
    ...defined({ overlayOptions }),
    ...(isRecord(blocked) ? { blocked: shownText(blocked['message']) } : {}),
    ...(typeof onHandle === 'function' ? { onHandle: onHandle as (handle: unknown) => void } : {}),
  };
}

function mountComponent(
  run: HandlerRun,
  services: HookServices,
  port: HookUIContext,
  { component, done }: { readonly component: unknown; readonly done: unknown },
): object {
  if (!isComponent(component)) {
    throw new TypeError('ctx.ui.custom needs a component with a render method, or a factory');
  }
  const failed = reporter(run, services);
  const handle = port.custom({ overlay: false, create: () => component, failed }, run.origin);
  const owned = ownHandle(run, handle);
  void run
    .asks(() => services.asking(run.subject.conversation, CUSTOM, () => handle.closed), CUSTOM)
    .then(() => {
      owned.dispose();
      if (typeof done === 'function') Reflect.apply(done, undefined, []);
    })
    .catch(failed);
  return {
    close: () => handle.close(),
    requestRender: () => handle.requestRender(),
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
  const { overlay, overlayOptions, blocked } = options;
  const handle = port.custom(
    {
      ...mount,
      overlay,
      failed: reporter(run, services),
      ...defined({ overlayOptions, blocked }),
    },
    run.origin,
  );
  const owned = ownHandle(run, handle);
  try {
    options.onHandle?.(overlayHandle(handle));
  } catch (error) {
    reporter(run, services)(error);
  }
  const closed = (): Promise<unknown> => handle.closed;
  const value = await run.asks(() => services.asking(run.subject.conversation, CUSTOM, closed), CUSTOM);
  owned.dispose();
  if (failure.failed) throw failure.error;
  return value;
}

/** A mount whose factory cannot break its host: errors go to `onFailure`, and nothing is shown. */
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
        ? factory(tui, theme, await keybindings(), close)
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

/** Reports errors of a mounted component like any failure of the hook. */
function reporter(run: HandlerRun, services: HookServices): (error: unknown) => void {
  return error => services.report(run.hook, run.subject.event, error);
}

/** Removes a hook's component with its load, unless a running handler waits for it. */
function ownHandle(run: HandlerRun, handle: CustomHandle): Disposable {
  return run.hook.identity.scope.own({
    what: 'custom component',
    kind: 'work',
    close: () => handle.close(),
  });
}

/**
 * Widgets, headers, footers and editors: factories of `(tui, theme, more)`; failures are reported, nothing is shown.
 */
export function placedMount(
  run: HandlerRun,
  services: HookServices,
  factory: HookFunction,
  more: unknown,
): CustomMount {
  return {
    overlay: false,
    failed: reporter(run, services),
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

/** `setEditorComponent`: a factory of `(tui, editorTheme, keybindings)`, as pi calls it. */
export function editorMount(run: HandlerRun, services: HookServices, factory: HookFunction): CustomMount {
  return {
    overlay: false,
    failed: reporter(run, services),
    async create(tui) {
      const bindings = await keybindings();
      const withEditorTheme: HookFunction = () => factory(tui, editorTheme(services), bindings);
      return placedMount(run, services, withEditorTheme, undefined).create(tui, () => undefined);
    },
  };
}

/** Paints with the current theme; it is also a theme of hooks, for hooks that use more of it. */
function editorTheme({ theme }: HookServices): object {
  const in_ =
    (color: string) =>
    (text: string): string =>
      theme.current.fg(color, text);
  const selectList = {
    selectedPrefix: in_('accent'),
    selectedText: in_('accent'),
    description: in_('muted'),
    scrollInfo: in_('muted'),
    noMatch: in_('muted'),
  };
  return Object.assign(Object.create(theme.current) as object, { borderColor: in_('borderMuted'), selectList });
}

function overlayHandle(handle: CustomHandle): object {
  return {
    hide: () => handle.close(),
    setHidden: (hidden: boolean) => {
      if (handle.setHidden !== undefined) handle.setHidden(hidden);
      else if (hidden) handle.close();
    },
    isHidden: () => handle.isHidden?.() ?? false,
    focus: () => handle.focus?.(),
    unfocus: (options?: { readonly target?: unknown }) => handle.unfocus?.(options?.target),
    isFocused: () => handle.isFocused?.() ?? false,
    getBounds: () => handle.bounds?.(),
  };
}

/** The key bindings of pi-tui, which is loaded as soon as something is mounted. */
async function keybindings(): Promise<unknown> {
  const { getKeybindings } = await import('@mariozechner/pi-tui');
  return getKeybindings();
}

function isComponent(value: unknown): value is Component {
  return typeof value === 'object' && value !== null && typeof (value as { render?: unknown }).render === 'function';
}
