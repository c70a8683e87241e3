/**
 * Parameter names of a function as written, `{` for a destructured object and `[` for an array. Reads the source text:
 * the last resort where two generations of a callback differ in nothing but the order of their arguments.
 */
export function parametersOf(code: (...args: never[]) => unknown): readonly string[] {
  const text = Function.prototype.toString.call(code).replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ' ');
  const lone = /^\s*(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/.exec(text)?.[1];
  if (lone !== undefined) return [lone];
  const open = text.indexOf('(');
  if (open < 0) return [];
  return split(text, open + 1).map(nameOf);
}

const OPENING = '([{';
const CLOSING = ')]}';

/** The top-level parts between commas, up to the parenthesis that closes the list. */
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

function nameOf(part: string): string {
  const first = part[0] as string;
  if (first === '{' || first === '[') return first;
  return /^(?:\.\.\.)?([A-Za-z_$][\w$]*)/.exec(part)?.[1] ?? '';
}
