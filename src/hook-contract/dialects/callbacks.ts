import type { Dialect } from '../dialect';

type Callback = (...args: never[]) => unknown;

/** The parameters of a command handler; `guess` says why if they were only guessed (docs/dialects.md, C12). */
export interface CommandForm {
  readonly takes: 'ctx' | 'args';
  readonly guess: string | undefined;
}

/** Finds out whether a command handler takes `(ctx)`, as in tree and v2, or `(args, ctx)`, as in later dialects. */
export function commandForm(handler: Callback, dialect: Dialect): CommandForm {
  const names = parametersOf(handler);
  const [first] = names;
  if (names.length >= 2) return { takes: 'args', guess: undefined };
  if (first === undefined || first === '{' || /^_?(ctx|context|c)$/.test(first)) {
    return { takes: 'ctx', guess: undefined };
  }
  if (/^_?(args?|argv?|input|text|prompt)$/.test(first)) return { takes: 'args', guess: undefined };
  const takes = dialect.onlyParameter;
  return {
    takes,
    guess: `its only parameter "${first}" is treated as ${takes === 'ctx' ? 'the context' : 'the arguments'}`,
  };
}

/** Whether the third parameter of a factory for `ctx.ui.custom` is `done` or `keybindings` (docs/dialects.md, C11). */
export function customForm(factory: Callback, dialect: Dialect): 'done' | 'keybindings' {
  const names = parametersOf(factory);
  const third = names[2];
  if (third !== undefined && /done|resolve|close|cb/i.test(third)) return 'done';
  if (names.length >= 4) return 'keybindings';
  if (third !== undefined && /^_*(kb|key)/i.test(third)) return 'keybindings';
  return dialect.thirdParameter;
}

/** Before 2026-02-01, a tool's parameters were `(id, params, onUpdate, ctx, signal)` (docs/dialects.md, C29). */
export function toolOrder(execute: Callback): 'signalThird' | 'updateThird' {
  const [, , third = '', fourth = ''] = parametersOf(execute);
  return /update/i.test(third) || /ctx|context/i.test(fourth) ? 'updateThird' : 'signalThird';
}

/** pi draws a call with `(args, theme, context)`, oh-my-pi with `(args, options, theme)` (docs/dialects.md, C29). */
export function drawOrder(renderCall: Callback): 'themeSecond' | 'themeThird' {
  const [, second = '', third = ''] = parametersOf(renderCall);
  return /theme/i.test(third) && !/theme/i.test(second) ? 'themeThird' : 'themeSecond';
}

/**
 * Parameter names of a function as written, `{` for a destructured object and `[` for an array. It reads the source
 * text of the function. Use it only if two versions of a callback differ in nothing but the order of their arguments.
 */
export function parametersOf(code: (...args: never[]) => unknown): readonly string[] {
  const text = Function.prototype.toString.call(code).replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ' ');
  const lone = /^\s*(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/.exec(text)?.[1];
  if (lone !== undefined) return [lone];
  const open = text.indexOf('(');
  if (open < 0) return [];
  return split(text, open + 1).map(parameterName);
}

const OPENING = '([{';
const CLOSING = ')]}';

/** Splits a parameter list at its top-level commas, up to the closing parenthesis. */
function split(text: string, start: number): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < text.length; at++) {
    const char = text[at] as string;
    if (depth === 0 && (char === ',' || char === ')')) {
      const part = text.slice(from, at).trim();
      if (part !== '') parts.push(part);
      if (char === ')') return parts;
      from = at + 1;
    } else if (OPENING.includes(char)) depth++;
    else if (CLOSING.includes(char)) depth--;
  }
  return parts;
}

function parameterName(part: string): string {
  const first = part[0] as string;
  if (first === '{' || first === '[') return first;
  return /^(?:\.\.\.)?([A-Za-z_$][\w$]*)/.exec(part)?.[1] ?? '';
}
