import type { Component } from '@mariozechner/pi-tui';
import { defined } from '../../../base/defined';
import { isRecord } from '../../../base/json/is-record';
import { drawOrder } from '../../../hook-contract/dialects/callbacks';
import type { HookFunction, LoadedHook } from '../../../hook-contract/loaded-hook';
import type { HookServices } from '../services';
import { keyHintsIn } from '../../../hook-contract/ui/key-hints';
import { transformed, type MarkdownPlace } from './markdown-transformers';
import { plainRenderers } from './plain-renderers';
import { atOnce, reportOnce } from './report-once';

/** Columns that pi leaves free beside what a renderer draws; renderers that draw a box take it from their options. */
const OUTPUT_PAD = 1;

/**
 * Draws a message of a hook; undefined: draw it like any other message. Never throws; the component that it returns
 * may.
 */
export interface MessageRenderer {
  (message: unknown, options: { readonly expanded: boolean; readonly width: number }): Component | undefined;
  /** Reports an error of a component while it rendered as the hook's error. */
  failed(error: unknown): void;
}

/** Draws an entry of a hook; undefined: nothing is shown of it. `failed`: it could not. See {@link MessageRenderer}. */
export interface EntryRenderer {
  (entry: unknown, options: { readonly expanded: boolean }): Component | 'failed' | undefined;
  failed(error: unknown): void;
}

/** Draw a call of a tool and its result; undefined: as any other tool. See {@link MessageRenderer}. */
export interface ToolRenderers {
  /** False: the drawing has its own frame. */
  readonly isFramed: boolean;
  /** `context` is the last argument of pi's renderers; how keys are called is added to it. */
  readonly call: (args: unknown, context: object) => Component | undefined;
  readonly result: (
    result: unknown,
    options: { readonly expanded: boolean; readonly isPartial: boolean },
    context: object,
  ) => Component | undefined;
  readonly failed: (error: unknown) => void;
}

/** The renderers of the current set of hooks; the first loaded wins for a kind. */
export class HookDrawing {
  constructor(
    private readonly hooks: () => readonly LoadedHook[],
    private readonly services: HookServices,
  ) {}

  /** How messages of a type are drawn. */
  message(customType: string): MessageRenderer | undefined {
    return messageRenderer(this.hooks(), customType, this.services);
  }

  /** Whether some hook draws entries at all. */
  get drawsEntries(): boolean {
    return this.hooks().some(({ entryRenderers }) => entryRenderers.size > 0);
  }

  /** How entries of a type are drawn. */
  entry(customType: string): EntryRenderer | undefined {
    return entryRenderer(this.hooks(), customType, this.services);
  }

  /** The renderers for calls of a tool; undefined when no hook has one. */
  tool(toolName: string): ToolRenderers | undefined {
    return toolRenderers(this.hooks(), toolName, this.services);
  }

  /** Whether some hook transforms texts for display. */
  get transformsMarkdown(): boolean {
    return this.hooks().some(({ transformer }) => transformer !== undefined);
  }

  /** A text as hooks transform it for display. */
  markdown(text: string, place: MarkdownPlace): string {
    return transformed(this.hooks(), text, place, this.services);
  }
}

/** The renderer that a hook registered for a type of message (docs/dialects.md, D12). */
function messageRenderer(
  hooks: readonly LoadedHook[],
  customType: string,
  services: HookServices,
): MessageRenderer | undefined {
  const hook = hooks.find(candidate => candidate.renderers.has(customType));
  const renderer = hook?.renderers.get(customType);
  if (hook === undefined || renderer === undefined) return undefined;
  const event = `render:${customType}`;
  const theme = services.theme.current;
  const draw = (message: unknown, options: { readonly expanded: boolean; readonly width: number }) => {
    const all = { ...options, outputPad: OUTPUT_PAD, ...keyHintsIn(theme) };
    return unlessFailed(drawn(hook, services, event, () => renderer(message, all, theme)));
  };
  return Object.assign(draw, {
    failed: (error: unknown) => reportOnce(hook, services, event, error),
  });
}

/** The renderer that a hook registered for a type of its entries; the first loaded wins. */
function entryRenderer(
  hooks: readonly LoadedHook[],
  customType: string,
  services: HookServices,
): EntryRenderer | undefined {
  const hook = hooks.find(candidate => candidate.entryRenderers.has(customType));
  const renderer = hook?.entryRenderers.get(customType);
  if (hook === undefined || renderer === undefined) return undefined;
  const event = `render:${customType}`;
  const theme = services.theme.current;
  const draw = (entry: unknown, options: { readonly expanded: boolean }) =>
    drawn(hook, services, event, () => renderer(entry, { ...options, ...keyHintsIn(theme) }, theme));
  return Object.assign(draw, {
    failed: (error: unknown) => reportOnce(hook, services, event, error),
  });
}

/** The renderers of calls from a tool's definition or a resolver. */
interface GivenRenderers {
  readonly renderShell?: unknown;
  readonly renderCall?: unknown;
  readonly renderResult?: unknown;
}

/**
 * The renderers for calls of a tool: those of its definition, unless resolvers (`registerToolRenderer`) replace them;
 * each resolver gets the renderers of those after it. A resolver that fails is skipped.
 */
function toolRenderers(
  hooks: readonly LoadedHook[],
  toolName: string,
  services: HookServices,
): ToolRenderers | undefined {
  const owner = hooks.find(candidate => candidate.tools.has(toolName));
  const resolvers = hooks.flatMap(hook => hook.toolResolvers.map(run => ({ hook, run })));
  if (owner === undefined && resolvers.length === 0) return undefined;
  const plain = plainRenderers(toolName);
  /** The hook of each renderer; without one, calls are drawn as usual. */
  const makers = new Map<unknown, LoadedHook>();
  const from = (hook: LoadedHook, given: GivenRenderers | undefined): GivenRenderers | undefined => {
    for (const code of [given?.renderCall, given?.renderResult]) {
      if (!makers.has(code) && code !== plain?.renderCall && code !== plain?.renderResult) makers.set(code, hook);
    }
    return given;
  };
  const ofTool = (): GivenRenderers | undefined => {
    if (owner === undefined) return plain;
    const own = renderersIn(owner.tools.get(toolName)?.definition);
    from(owner, own);
    return plain === undefined ? own : { ...plain, ...own };
  };
  const chain = resolvers.reduceRight<() => GivenRenderers | undefined>(
    (next, { hook, run }) =>
      () =>
        from(hook, resolved(hook, services, run, toolName, next)),
    ofTool,
  );
  const used = chain() ?? {};
  const event = `render:${toolName}`;
  const theme = services.theme.current;
  const draw = (slot: 'renderCall' | 'renderResult', given: readonly unknown[], context: object) => {
    const code = used[slot];
    const maker = makers.get(code);
    if (typeof code !== 'function' || maker === undefined) return undefined;
    const args = [...given, theme, { ...context, outputPad: OUTPUT_PAD, ...keyHintsIn(theme) }];
    return unlessFailed(drawn(maker, services, event, () => Reflect.apply(code, used, args) as unknown));
  };
  const blamed = makers.get(used.renderResult) ?? makers.get(used.renderCall) ?? owner;
  return {
    isFramed: used.renderShell !== 'self',
    call: (args, context) => draw('renderCall', [args], context),
    result: (result, options, context) => draw('renderResult', [result, options], context),
    failed: error => {
      if (blamed !== undefined) reportOnce(blamed, services, event, error);
    },
  };
}

/** The renderers in a tool's definition, whose code has the definition as `this`. */
function renderersIn(definition: Readonly<Record<string, unknown>> = {}): GivenRenderers {
  const known = ofDefinitions.get(definition);
  if (known !== undefined) return known;
  const { renderShell, renderCall, renderResult } = definition;
  const made = {
    ...defined({ renderShell }),
    ...(typeof renderCall === 'function' ? { renderCall: callRenderer(definition, renderCall as HookFunction) } : {}),
    ...(typeof renderResult === 'function' ? { renderResult: renderResult.bind(definition) as unknown } : {}),
  };
  ofDefinitions.set(definition, made);
  return made;
}

function callRenderer(definition: object, renderCall: HookFunction): HookFunction {
  return drawOrder(renderCall) === 'themeThird'
    ? (args, theme, context) => Reflect.apply(renderCall, definition, [args, context, theme])
    : renderCall.bind(definition);
}

const ofDefinitions = new WeakMap<object, GivenRenderers>();

/** The result of a resolver; the renderers of the rest if it fails. */
function resolved(
  hook: LoadedHook,
  services: HookServices,
  resolver: HookFunction,
  toolName: string,
  next: () => GivenRenderers | undefined,
): GivenRenderers | undefined {
  let rest: { readonly of: GivenRenderers | undefined } | undefined;
  const nextOnce = (): GivenRenderers | undefined => (rest ??= { of: next() }).of;
  try {
    const given = atOnce(resolver(toolName, nextOnce), 'the resolver');
    if (given === undefined || given === null) return undefined;
    if (isRecord(given)) return given;
    throw new TypeError('the resolver must return an object with renderCall or renderResult, or nothing');
  } catch (error) {
    reportOnce(hook, services, 'registerToolRenderer', error);
    return nextOnce();
  }
}

function drawn(
  hook: LoadedHook,
  services: HookServices,
  event: string,
  draw: () => unknown,
): Component | 'failed' | undefined {
  try {
    const component = atOnce(draw(), 'the renderer');
    if (component === undefined || component === null) return undefined;
    if (typeof component === 'object' && typeof (component as Partial<Component>).render === 'function') {
      return component as Component;
    }
    throw new TypeError('the renderer returned no component');
  } catch (error) {
    reportOnce(hook, services, event, error);
    return 'failed';
  }
}

function unlessFailed(component: Component | 'failed' | undefined): Component | undefined {
  return component === 'failed' ? undefined : component;
}
