import {
  arrayOf,
  childrenOf,
  isFunction,
  memberName,
  nameOf,
  nodeAt,
  stringOf,
  unwrapped,
  type SyntaxNode,
} from '../../syntax/syntax-node';
import { patternNames, type SyntaxTree } from '../../syntax/syntax-tree';
import { dedented } from '../pass';

/** Whether an expression is the one whose value is known. */
export type IsKnown = (node: SyntaxNode) => boolean;

/**
 * Prints code under the assumption that an expression has a certain value: conditions about it are decided, code that
 * cannot be reached is left out, and the expression itself is replaced by the value.
 */
export class Folding {
  constructor(
    private readonly tree: SyntaxTree,
    private readonly isKnown: IsKnown,
    private readonly value: string,
  ) {}

  /** Prints the statements of a block without its braces; returns '' when they have no effect. */
  block(block: SyntaxNode): string {
    const { kept } = this.list(arrayOf(block, 'body'));
    if (kept.every(statement => this.isInert(statement))) return '';
    return this.statements(arrayOf(block, 'body'), block);
  }

  /** Prints a node under this assumption. */
  print(node: SyntaxNode): string {
    switch (node.type) {
      case 'BlockStatement':
        return `{${this.padded(this.statements(arrayOf(node, 'body'), node), node)}}`;
      case 'ConditionalExpression': {
        const test = this.decide(nodeAt(node, 'test'));
        const branch = nodeAt(node, test === true ? 'consequent' : 'alternate');
        return test === undefined || branch === undefined ? this.around(node) : this.insteadOf(node, branch);
      }
      case 'LogicalExpression': {
        const [left, right] = [nodeAt(node, 'left'), nodeAt(node, 'right')];
        if (left === undefined || right === undefined || node['operator'] === '??') return this.around(node);
        const neutral = node['operator'] === '&&';
        if (this.decide(left) === neutral) return this.insteadOf(node, right);
        if (this.decide(right) === neutral && this.isTest(node)) return this.insteadOf(node, left);
        return this.around(node);
      }
      case 'TemplateLiteral':
        return this.template(node);
      default: {
        const decided = this.isKnown(node) ? undefined : this.decide(node);
        if (this.isKnown(node)) return `'${this.value}'`;
        return decided !== undefined && /^(?:Binary|Unary|Call)Expression$/.test(node.type)
          ? String(decided)
          : this.around(node);
      }
    }
  }

  /** Whether a condition is true for this value; undefined when it also depends on something else. */
  decide(node: SyntaxNode | undefined): boolean | undefined {
    const test = unwrapped(node);
    if (test === undefined) return undefined;
    switch (test.type) {
      case 'BinaryExpression':
        return this.compare(test);
      case 'LogicalExpression': {
        const [left, right] = [this.decide(nodeAt(test, 'left')), this.decide(nodeAt(test, 'right'))];
        const ending = test['operator'] === '||';
        if (test['operator'] === '??') return undefined;
        if (left === ending) return ending;
        // What the left side does must still be done.
        if (right === ending && !this.acts(nodeAt(test, 'left'))) return ending;
        return left === !ending && right === !ending ? !ending : undefined;
      }
      case 'UnaryExpression': {
        const inner = test['operator'] === '!' ? this.decide(nodeAt(test, 'argument')) : undefined;
        return inner === undefined ? undefined : !inner;
      }
      case 'CallExpression':
      case 'OptionalCallExpression':
        return this.callOn(test);
      default:
        return undefined;
    }
  }

  /** Prints an operand that replaces the whole expression; its parentheses stay unless others are around it. */
  private insteadOf(whole: SyntaxNode, operand: SyntaxNode): string {
    const printed = this.print(operand);
    const isEnclosed = isParenthesized(whole) || /^(?:If|While)Statement$/.test(this.tree.parent(whole)?.type ?? '');
    return isParenthesized(operand) && !isEnclosed ? `(${printed})` : printed;
  }

  /** Whether a statement has no effect: it is empty, returns nothing or declares variables without a call. */
  private isInert(statement: SyntaxNode): boolean {
    switch (statement.type) {
      case 'EmptyStatement':
        return true;
      case 'ReturnStatement': {
        const argument = unwrapped(nodeAt(statement, 'argument'));
        return argument === undefined || this.tree.source(argument) === 'undefined';
      }
      case 'VariableDeclaration':
        return !this.acts(statement);
      case 'BlockStatement':
        return this.list(arrayOf(statement, 'body')).kept.every(inner => this.isInert(inner));
      case 'IfStatement': {
        const test = this.decide(nodeAt(statement, 'test'));
        const branches = [nodeAt(statement, 'consequent'), nodeAt(statement, 'alternate')];
        const left = test === undefined ? branches : [branches[test ? 0 : 1]];
        return (
          (test !== undefined || !this.acts(nodeAt(statement, 'test'))) &&
          left.every(branch => branch === undefined || this.isInert(branch))
        );
      }
      default:
        return false;
    }
  }

  /** Whether code does more than to give a value: it calls something, or changes a variable or a member. */
  private acts(node: SyntaxNode | undefined): boolean {
    const isAct = (inner: SyntaxNode): boolean =>
      /^(?:Call|OptionalCall|New|Await|Yield|Assignment|Update|TaggedTemplate)/.test(inner.type)
        ? this.callOn(inner) === undefined
        : inner['operator'] === 'delete';
    return node !== undefined && this.tree.within(node).some(isAct);
  }

  /** Whether only the truth of an expression matters, and not its value. */
  private isTest(node: SyntaxNode): boolean {
    const parent = this.tree.parent(node);
    if (parent === undefined) return false;
    if (/^(?:LogicalExpression|TSNonNullExpression|ParenthesizedExpression)$/.test(parent.type)) {
      return this.isTest(parent);
    }
    return parent['operator'] === '!' || parent['test'] === node;
  }

  /** The statements that can be reached; a decided `if` or `switch` is replaced by the statements of its branch. */
  private list(statements: readonly SyntaxNode[]): { readonly kept: readonly SyntaxNode[]; readonly ends: boolean } {
    const kept: SyntaxNode[] = [];
    for (const statement of statements) {
      const taken = this.replacementFor(statement);
      if (taken === 'itself') kept.push(statement);
      else {
        const inner = this.list(taken);
        kept.push(...inner.kept);
        if (inner.ends) return { kept, ends: true };
      }
      if (taken === 'itself' && this.ends(statement)) return { kept, ends: true };
    }
    return { kept, ends: false };
  }

  private ends(statement: SyntaxNode): boolean {
    if (statement.type === 'BlockStatement') return this.list(arrayOf(statement, 'body')).ends;
    return /^(?:Return|Throw)Statement$/.test(statement.type);
  }

  /** The statements that replace a decided `if` or `switch`; `itself` for all other statements. */
  private replacementFor(statement: SyntaxNode): readonly SyntaxNode[] | 'itself' {
    if (statement.type === 'SwitchStatement' && this.isKnown(nodeAt(statement, 'discriminant') ?? statement)) {
      return this.caseOf(statement) ?? 'itself';
    }
    if (statement.type !== 'IfStatement') return 'itself';
    const test = this.decide(nodeAt(statement, 'test'));
    if (test === undefined) return 'itself';
    const branch = nodeAt(statement, test ? 'consequent' : 'alternate');
    return branch === undefined ? [] : this.blockOpened(branch);
  }

  /** The statements of a block; the block itself if one of its names also occurs outside of it. */
  private blockOpened(statement: SyntaxNode): readonly SyntaxNode[] {
    if (statement.type !== 'BlockStatement') return [statement];
    const statements = arrayOf(statement, 'body');
    return this.clashes(statements, statement) ? [statement] : statements;
  }

  /** Whether a name that one of the statements declares also occurs in the function outside of `place`. */
  private clashes(statements: readonly SyntaxNode[], place: SyntaxNode): boolean {
    const names = new Set(statements.flatMap(namesDeclaredBy));
    if (names.size === 0) return false;
    const around = this.tree.functionAround(place) ?? this.tree.program;
    return this.tree
      .within(around)
      .some(node => (node.start < place.start || node.start >= place.end) && names.has(nameOf(node)));
  }

  /**
   * The statements from the value's case to the next `break`; undefined when a nested `break` or a case that is no plain
   * text makes that unclear.
   */
  private caseOf(statement: SyntaxNode): readonly SyntaxNode[] | undefined {
    const cases = arrayOf(statement, 'cases');
    const tests = cases.flatMap(each => nodeAt(each, 'test') ?? []);
    if (tests.some(test => stringOf(test) === undefined)) return undefined;
    const own = cases.findIndex(each => stringOf(nodeAt(each, 'test')) === this.value);
    const from = own >= 0 ? own : cases.findIndex(each => nodeAt(each, 'test') === undefined);
    if (from < 0) return [];
    const taken: SyntaxNode[] = [];
    for (const each of cases.slice(from)) {
      for (const inner of arrayOf(each, 'consequent').flatMap(statement => this.blockOpened(statement))) {
        if (inner.type === 'BreakStatement') return this.unlessClashing(taken, statement);
        if (this.breaksOut(inner)) return undefined;
        taken.push(inner);
        if (this.ends(inner)) return this.unlessClashing(taken, statement);
      }
    }
    return this.unlessClashing(taken, statement);
  }

  private unlessClashing(statements: readonly SyntaxNode[], place: SyntaxNode): readonly SyntaxNode[] | undefined {
    return this.clashes(statements, place) ? undefined : statements;
  }

  private breaksOut(node: SyntaxNode): boolean {
    if (node.type === 'BreakStatement') return true;
    if (isFunction(node) || /^(?:For|While|DoWhile|Switch)/.test(node.type)) return false;
    return childrenOf(node).some(child => this.breaksOut(child));
  }

  private statements(statements: readonly SyntaxNode[], block: SyntaxNode): string {
    const indent = this.indentOf(statements[0] ?? block);
    let result = '';
    let at = block.start + 1;
    const { kept } = this.list(statements);
    for (const statement of kept) {
      const before = this.leading(statement, at);
      const own = this.indentOf(statement);
      const isMoved = own.startsWith(indent) && !hasLongText(this.tree, statement);
      const deeper = isMoved ? own.slice(indent.length) : '';
      result += dedented(`${before}${this.print(statement)}${this.trailing(statement)}`, deeper);
      at = statement.end;
    }
    return result;
  }

  /** The blank lines and comments before a statement, beginning with a line break. */
  private leading(statement: SyntaxNode, from: number): string {
    const { text } = this.tree;
    const before = text.slice(0, statement.start);
    const match =
      /(?:\n[ \t]*(?:(?:\/\/[^\n]*|\/\*(?:(?!\*\/)[\s\S])*\*\/)[ \t]*)?)*\n?[ \t]*$/.exec(before)?.[0] ?? ' ';
    const leading = match.length > statement.start - from && from <= statement.start ? before.slice(from) : match;
    const line = /^[ \t]*\/\/[^\n]*/.exec(leading);
    const own = line === null ? leading : leading.slice(line[0].length);
    return own.includes('\n') ? own : `\n${this.indentOf(statement)}`;
  }

  /** The comment after a statement on the same line, or ''. */
  private trailing(statement: SyntaxNode): string {
    return /^[ \t]*\/\/[^\n]*/.exec(this.tree.text.slice(statement.end))?.[0] ?? '';
  }

  private padded(statements: string, block: SyntaxNode): string {
    if (statements === '') return '';
    return `${statements}\n${this.tree.indentAt(block.end - 1)}`;
  }

  private indentOf(statement: SyntaxNode): string {
    return this.tree.indentAt(statement.start);
  }

  private template(node: SyntaxNode): string {
    let at = node.start;
    let result = '';
    for (const child of childrenOf(node)) {
      const known = child.type !== 'TemplateElement' && this.isKnown(child);
      result +=
        this.tree.text.slice(at, known ? child.start - 2 : child.start) + (known ? this.value : this.print(child));
      at = known ? child.end + 1 : child.end;
    }
    return result + this.tree.text.slice(at, node.end);
  }

  private compare(test: SyntaxNode): boolean | undefined {
    const operator = String(test['operator']);
    if (!/^[!=]==?$/.test(operator)) return undefined;
    const sides = [nodeAt(test, 'left'), nodeAt(test, 'right')].map(unwrapped);
    const known = sides.findIndex(side => side !== undefined && this.isKnown(side));
    const other = stringOf(sides[1 - known]);
    if (known < 0 || other === undefined) return undefined;
    return (other === this.value) === operator.startsWith('=');
  }

  /** Decides `['a', 'b'].includes(x)`, `x.startsWith('a')` and `x.endsWith('a')`. */
  private callOn(call: SyntaxNode): boolean | undefined {
    const callee = nodeAt(call, 'callee');
    const object = unwrapped(nodeAt(callee, 'object'));
    const [argument, ...others] = arrayOf(call, 'arguments');
    const method = memberName(callee);
    if (others.length > 0) return undefined;
    if (
      method === 'includes' &&
      object?.type === 'ArrayExpression' &&
      argument !== undefined &&
      this.isKnown(argument)
    ) {
      const texts = arrayOf(object, 'elements').map(stringOf);
      return texts.includes(undefined) ? undefined : texts.includes(this.value);
    }
    const text = stringOf(argument);
    if (object === undefined || !this.isKnown(object) || text === undefined) return undefined;
    if (method === 'startsWith') return this.value.startsWith(text);
    return method === 'endsWith' ? this.value.endsWith(text) : undefined;
  }

  private around(node: SyntaxNode): string {
    let at = node.start;
    let result = '';
    for (const child of childrenOf(node)) {
      if (child.start < at) continue;
      result += this.tree.text.slice(at, child.start) + this.print(child);
      at = child.end;
    }
    return result + this.tree.text.slice(at, node.end);
  }
}

/** Whether a node contains a text of several lines, whose lines must not be indented differently. */
export function hasLongText(tree: SyntaxTree, node: SyntaxNode): boolean {
  return tree.within(node).some(({ type, start, end }) => {
    return /^(?:TemplateElement|StringLiteral)$/.test(type) && tree.text.slice(start, end).includes('\n');
  });
}

function isParenthesized({ extra }: SyntaxNode): boolean {
  return typeof extra === 'object' && extra !== null && 'parenthesized' in extra && extra.parenthesized === true;
}

/** The names that a statement declares in the block around it. */
function namesDeclaredBy(statement: SyntaxNode): readonly string[] {
  if (/^(?:Class|Function)Declaration$/.test(statement.type)) return [nameOf(nodeAt(statement, 'id'))];
  return arrayOf(statement, 'declarations').flatMap(each => patternNames(nodeAt(each, 'id')).map(nameOf));
}
