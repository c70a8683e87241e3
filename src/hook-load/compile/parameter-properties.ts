import {
  Parser,
  tokTypes,
  type Class,
  type FunctionExpression,
  type Identifier,
  type Pattern,
  type Token,
} from 'acorn';
import type MagicString from 'magic-string';
import { LeftToBabel } from './es-module';
import { afterDirectives } from './guard-writer';

/**
 * The parameters of constructors that TypeScript makes properties, as in `constructor(private name: string) {}`. What
 * strips types refuses their modifiers, so these are found in the text. A text may look like a constructor without being
 * one, for example in a comment; so each parameter must be found again in the parsed module.
 */
export class ParameterProperties {
  /** The source with blanks for the modifiers, so that each position stays the same. */
  readonly text: string;
  /** Start of a parameter's name -> start of its modifiers. */
  private readonly modifiers = new Map<number, number>();

  constructor(source: string) {
    let text = source;
    for (const { index } of source.matchAll(/\bconstructor\s*\(/g)) {
      for (const [start, end] of modifiersFrom(source, index)) {
        text = text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);
        this.modifiers.set(end, start);
      }
    }
    this.text = text;
  }

  /**
   * Writes the assignments of a class's properties: at the start of its constructor, or after its call of `super`. Each
   * has the position of the modifiers in the source map.
   */
  write(text: MagicString, { body, superClass }: Class): void {
    const member = body.body.find(each => each.type === 'MethodDefinition' && each.kind === 'constructor');
    if (member?.type !== 'MethodDefinition') return;
    for (const { name, start } of member.value.params.flatMap(identifiersOf)) {
      const from = this.modifiers.get(start);
      if (from === undefined) continue;
      this.modifiers.delete(start);
      text.update(from, start, `;this.${name} = ${name};`);
      text.move(from, start, superClass == null ? afterDirectives(member.value.body) : afterSuper(text, member.value));
    }
  }

  /** @throws LeftToBabel when a parameter was not in a class that was written */
  checkWritten(): void {
    if (this.modifiers.size > 0) throw new LeftToBabel();
  }
}

function identifiersOf(parameter: Pattern): readonly Identifier[] {
  if (parameter.type === 'AssignmentPattern') return identifiersOf(parameter.left);
  return parameter.type === 'Identifier' ? [parameter] : [];
}

/** The end of the statement that calls `super`. Constructors that call it elsewhere are left to Babel. */
function afterSuper({ original }: MagicString, { start, end, body }: FunctionExpression): number {
  const call = body.body.find(
    each =>
      each.type === 'ExpressionStatement' &&
      each.expression.type === 'CallExpression' &&
      each.expression.callee.type === 'Super',
  );
  const calls = original.slice(start, end).match(/\bsuper\b(?!\s*[.[])/g) ?? [];
  if (call === undefined || calls.length > 1) throw new LeftToBabel();
  return call.end;
}

/** Start and end of a text. */
type Range = readonly [start: number, end: number];

const OPENING: readonly unknown[] = [tokTypes.parenL, tokTypes.bracketL, tokTypes.braceL, tokTypes.dollarBraceL];
const CLOSING: readonly unknown[] = [tokTypes.parenR, tokTypes.bracketR, tokTypes.braceR];

/** What can follow the name of a parameter. */
const AFTER_NAME: readonly unknown[] = [
  tokTypes.question,
  tokTypes.colon,
  tokTypes.eq,
  tokTypes.comma,
  tokTypes.parenR,
];

/** The modifiers of the parameters of what looks like a constructor, each up to the parameter's name. */
function modifiersFrom(source: string, constructor: number): readonly Range[] {
  const text = source.slice(constructor);
  const found: Range[] = [];
  let depth = 0;
  /** The names that follow each other here. */
  let names: Token[] = [];
  /** Whether a parameter starts with them. */
  let isStart = false;
  try {
    for (const token of Parser.tokenizer(text, { ecmaVersion: 'latest' })) {
      if (token.type === tokTypes.name) {
        names.push(token);
        continue;
      }
      if (isStart && AFTER_NAME.includes(token.type)) found.push(...modifiersIn(names, text));
      names = [];
      if (OPENING.includes(token.type)) depth += 1;
      else if (CLOSING.includes(token.type)) depth -= 1;
      if (depth === 0) break;
      isStart = depth === 1 && (token.type === tokTypes.comma || token.type === tokTypes.parenL);
    }
  } catch {
    return []; // It was a comment or a text.
  }
  return found.map(([start, end]) => [constructor + start, constructor + end]);
}

/** In the order that TypeScript demands, and on one line. */
const MODIFIERS = /^(?:(?:public|private|protected) )?(?:override )?(?:readonly )?$/;

function modifiersIn(names: readonly Token[], text: string): readonly Range[] {
  const [first] = names;
  const name = names.at(-1);
  if (first === undefined || name === undefined || names.length === 1) return [];
  const modifiers = names.slice(0, -1).map(({ start, end }) => `${text.slice(start, end)} `);
  const isOneLine = !/[\n\r\u2028\u2029]/.test(text.slice(first.start, name.start));
  return isOneLine && MODIFIERS.test(modifiers.join('')) ? [[first.start, name.start]] : [];
}
