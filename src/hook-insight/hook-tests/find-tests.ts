import { parse, type AnyNode, type CallExpression, type Program, type SourceLocation } from 'acorn';
import * as l10n from '@vscode/l10n';
import { failed, ok, type Result } from '../../base/result';
import { SUITE_FUNCTIONS, TEST_FUNCTIONS, TestIds, testTitle } from './test-ids';

/** VS Code gets the ids of all suites around a test with it, so what they cost grows faster than their depth. */
const MOST_SUITES_AROUND = 20;
const MOST_TESTS = 5000;

/** A part of a text. Lines are counted from 1, columns from 0. */
export type TextRange = Pick<SourceLocation, 'start' | 'end'>;

/** A suite or a test whose title is written in the file. */
export interface FoundTest {
  readonly id: string;
  readonly title: string;
  /** The whole call that defines it. */
  readonly range: TextRange;
  /** What a suite contains; undefined for a test. */
  readonly tests: readonly FoundTest[] | undefined;
}

/** What a file of tests says of itself without being run. */
export interface FoundTests {
  readonly tests: readonly FoundTest[];
  /** What the file imports, and where. */
  readonly imports: readonly { readonly specifier: string; readonly range: TextRange }[];
}

/**
 * Finds suites and tests in the text of a file, in its order. Tests whose titles are computed are known only when the file
 * runs. Fails with the line and column of a syntax error, and for a file that is nested too deeply to be read or has more
 * suites and tests than are listed. `file` is absolute.
 */
export function findTests(file: string, text: string): Result<FoundTests> {
  try {
    const program = parse(text, {
      ...{ ecmaVersion: 'latest', sourceType: 'module', locations: true, allowHashBang: true },
    });
    return ok({ tests: new Finder(new TestIds()).within(file, program), imports: importsOf(program) });
  } catch (error) {
    // The stack of calls was full.
    if (error instanceof RangeError) return failed({ message: l10n.t('It is nested too deeply'), file });
    if (error instanceof NotListed) return failed({ message: error.message, file });
    if (!(error instanceof SyntaxError)) throw error;
    return failed({ message: error.message.replace(/ \(\d+:\d+\)$/, ''), file, ...placeOf(error) });
  }
}

function placeOf(error: SyntaxError): { readonly line: number; readonly column: number } | undefined {
  // acorn adds where it stopped.
  const { loc } = error as { readonly loc?: { readonly line: number; readonly column: number } };
  return loc === undefined ? undefined : { line: loc.line, column: loc.column + 1 };
}

function importsOf(program: Program): FoundTests['imports'] {
  return program.body.flatMap(statement => {
    if (statement.type !== 'ImportDeclaration') return [];
    const { source } = statement;
    return typeof source.value === 'string' ? [{ specifier: source.value, range: rangeOf(source) }] : [];
  });
}

/** Its message says why a file is not listed. */
class NotListed extends Error {}

class Finder {
  private count = 0;

  constructor(private readonly ids: TestIds) {}

  /** The suites and tests in a node, but not those in what these define. */
  within(parent: string, node: AnyNode, around = 0): readonly FoundTest[] {
    const definition = node.type === 'CallExpression' ? definitionIn(node) : undefined;
    if (definition === undefined) return childrenOf(node).flatMap(child => this.within(parent, child, around));
    if (around > MOST_SUITES_AROUND) {
      throw new NotListed(l10n.t('A test is in more than {0} suites', MOST_SUITES_AROUND));
    }
    if (++this.count > MOST_TESTS) {
      throw new NotListed(l10n.t('It has more than {0} suites and tests', MOST_TESTS));
    }
    const { title, body, call } = definition;
    const id = this.ids.next(parent, title);
    const tests = body === undefined ? undefined : this.within(id, body, around + 1);
    return [{ id, title, range: rangeOf(call), tests }];
  }
}

interface Definition {
  readonly title: string;
  readonly call: CallExpression;
  /** The function of a suite. */
  readonly body: AnyNode | undefined;
}

/** What a call such as `it('title', …)`, `it.skip(…)` or `describe.only(…)` defines. */
function definitionIn(call: CallExpression): Definition | undefined {
  const { callee } = call;
  const named = callee.type === 'MemberExpression' && !callee.computed ? callee.object : callee;
  if (named.type !== 'Identifier') return undefined;
  const isSuite = SUITE_FUNCTIONS.some(name => name === named.name);
  if (!isSuite && !TEST_FUNCTIONS.some(name => name === named.name)) return undefined;
  const [first, second] = call.arguments;
  const title = textOf(first);
  if (title === undefined) return undefined;
  return { title: testTitle(title), call, body: isSuite ? (second ?? call) : undefined };
}

function textOf(node: AnyNode | undefined): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node?.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

function childrenOf(node: AnyNode): readonly AnyNode[] {
  const members: readonly unknown[] = Object.values(node);
  return members.flatMap((value): readonly unknown[] => (Array.isArray(value) ? value : [value])).filter(isNode);
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function rangeOf({ loc }: AnyNode): TextRange {
  return loc ?? { start: { line: 1, column: 0 }, end: { line: 1, column: 0 } };
}
