import type { Dialect } from './dialect';
import { parametersOf } from './parameters';

type Callback = (...args: never[]) => unknown;

/** How a command handler wants to be called, and whether that was only guessed (docs/dialects.md, C12). */
export interface CommandForm {
  readonly takes: 'ctx' | 'args';
  readonly guess: string | undefined;
}

/** `(ctx)` of TREE and V2, or `(args, ctx)` of all later ones. */
export function commandForm(handler: Callback, dialect: Dialect): CommandForm {
  const names = parametersOf(handler);
  const [first] = names;
  if (names.length >= 2) return { takes: 'args', guess: undefined };
  if (first === undefined || first === '{' || /^_?(ctx|context|c)$/.test(first)) {
    return { takes: 'ctx', guess: undefined };
  }
  if (/^_?(args?|argv?|input|text|prompt)$/.test(first)) return { takes: 'args', guess: undefined };
  const takes = dialect.loneParameter;
  return {
    takes,
    guess: `its only parameter "${first}" is taken for ${takes === 'ctx' ? 'the context' : 'the arguments'}`,
  };
}

/** The three generations of a factory for `ctx.ui.custom` (docs/dialects.md, C11). */
export function customForm(factory: Callback, dialect: Dialect): 'done' | 'keybindings' {
  const names = parametersOf(factory);
  const third = names[2];
  if (third !== undefined && /done|resolve|close|cb/i.test(third)) return 'done';
  if (names.length >= 4) return 'keybindings';
  if (third !== undefined && /^_*(kb|key)/i.test(third)) return 'keybindings';
  return dialect.thirdParameter;
}

/** Before 2026-02-01 tools were executed as `(id, params, onUpdate, ctx, signal)` (docs/dialects.md, C29). */
export function toolOrder(execute: Callback): 'signalThird' | 'updateThird' {
  const [, , third = '', fourth = ''] = parametersOf(execute);
  return /update/i.test(third) || /ctx|context/i.test(fourth) ? 'updateThird' : 'signalThird';
}
