import { isTypeScript } from '../../../hooks/load/compile/compile';
import { KEY_OF_HELPER } from '../../../hooks/load/modules/legacy/legacy-key-names';
import { printTree } from '../../syntax/print';
import { arrayOf, nameOf, nodeAt, stringOf, type SyntaxNode } from '../../syntax/syntax-node';
import type { Binding, SyntaxTree } from '../../syntax/syntax-tree';
import { HELPERS } from './helpers';
import { AGENT_CORE, TUI, type NeededCode, type Source } from '../pass';
import { ELSEWHERE, moduleNow, NAMES, TUI_NAME } from './module-names';
import { quotedLike } from './rename-events';
import { WholeModules } from './whole-modules';

/** How an import is rewritten: its new module, and the specifiers that are removed from it. */
interface Rewritten {
  readonly module: string;
  readonly dropped: ReadonlySet<SyntaxNode>;
}

/** Rewrites imports to the newest modules and names, and adds the imports and functions that rewritten code needs. */
export function convertImports(source: Source, needs: NeededCode, file: string): string {
  const { tree } = source;
  const typed = isTypeScript(file);
  const conversion = new ImportConversion(source, needs, typed);
  const statements = arrayOf(tree.program, 'body').filter(({ type }) => type === 'ImportDeclaration');
  for (const statement of statements) conversion.convert(statement);
  const modules = new WholeModules(tree);
  const text = printTree(tree, (node, print) => {
    const replacement = modules.replacementOf(node, print, typed) ?? conversion.replacementOf(node, print);
    if (node !== statements.at(-1)) return replacement;
    return replacement === GONE ? `${END}${GONE}` : `${replacement ?? tree.source(node)}${END}`;
  });
  return withNeeds(text, needs, conversion.declared, typed);
}

class ImportConversion {
  private readonly rewritten = new Map<SyntaxNode, Rewritten>();
  /** Specifiers and uses of imports -> their new text. */
  private readonly renamed = new Map<SyntaxNode, string>();
  /** Uses of functions that test for one key each -> that key. */
  private readonly keys = new Map<SyntaxNode, string>();
  /** What is imported already: names with their aliases. */
  private readonly imported = new Set<string>();
  /** The names that the imports declare in the new text. */
  readonly declared = new Set<string>();

  constructor(
    private readonly source: Source,
    private readonly needs: NeededCode,
    private readonly typed: boolean,
  ) {}

  convert(statement: SyntaxNode): void {
    const from = stringOf(nodeAt(statement, 'source')) ?? '';
    const module = moduleNow(from);
    const isTui = TUI_NAME.test(from);
    const isOurs = module !== undefined || isTui;
    const dropped = new Set<SyntaxNode>();
    for (const specifier of arrayOf(statement, 'specifiers')) {
      const local = nodeAt(specifier, 'local');
      if (!isOurs || specifier.type !== 'ImportSpecifier' || local === undefined) {
        this.declared.add(nameOf(local));
        continue;
      }
      const binding = { name: nameOf(local), id: local, owner: specifier };
      const key = isTui ? KEY_OF_HELPER[nameOf(nodeAt(specifier, 'imported'))] : undefined;
      if (key !== undefined) this.replaceByKey(binding, key);
      if (key !== undefined || !this.rename(specifier, binding)) dropped.add(specifier);
    }
    if (isOurs) this.rewritten.set(statement, { module: module ?? from, dropped });
  }

  private replaceByKey(binding: Binding, key: string): void {
    add(this.needs, TUI, '{ matchesKey }');
    for (const use of this.source.tree.references(binding)) this.keys.set(use, key);
  }

  /** Renames a specifier and its uses. Returns whether the specifier stays in its import. */
  private rename(specifier: SyntaxNode, binding: Binding): boolean {
    const { tree } = this.source;
    const imported = nodeAt(specifier, 'imported');
    const before = nameOf(imported);
    const name = NAMES[before] ?? before;
    const isAlias = binding.name !== before;
    if (!isAlias && name !== before) for (const use of tree.references(binding)) this.renamed.set(use, name);
    const clause = isAlias ? `${name} as ${binding.name}` : name;
    const elsewhere = ELSEWHERE[name];
    if (elsewhere !== undefined && name !== before) {
      add(this.needs, elsewhere, `type { ${clause} }`);
      return false;
    }
    if (this.imported.has(clause)) return false;
    if (binding.name === 'ContextMessage' && this.needs.wrapsContext) {
      add(this.needs, '', CONTEXT_MESSAGE);
      add(this.needs, AGENT_CORE, 'type { AgentMessage }');
      return false;
    }
    this.imported.add(clause);
    this.declared.add(isAlias ? binding.name : name);
    if (imported !== undefined && name !== before) this.renamed.set(specifier, `${kindOf(tree, specifier)}${clause}`);
    return true;
  }

  /** What is written in place of a node; undefined when the node stays as it is. */
  replacementOf(node: SyntaxNode, print: (node: SyntaxNode) => string): string | undefined {
    const { tree } = this.source;
    const key = node.type === 'CallExpression' ? this.keys.get(nodeAt(node, 'callee') ?? node) : undefined;
    if (key !== undefined) return `matchesKey(${arrayOf(node, 'arguments').map(print).join(', ')}, '${key}')`;
    const rewritten = this.rewritten.get(node);
    if (rewritten !== undefined) return printImport(tree, node, rewritten, print);
    const passedKey = this.keys.get(node);
    const text = passedKey === undefined ? this.renamed.get(node) : keyTest(tree, node, passedKey, this.typed);
    const isShorthand = tree.parent(node)?.['shorthand'] === true;
    return text !== undefined && isShorthand ? `${tree.source(node)}: ${text}` : text;
  }
}

/** The function that replaces one for a key where it is not called but passed on. */
function keyTest(tree: SyntaxTree, node: SyntaxNode, key: string, typed: boolean): string {
  const test = `${typed ? '(data: string)' : 'data'} => matchesKey(data, '${key}')`;
  return tree.parent(node)?.type === 'CallExpression' ? test : `(${test})`;
}

const CONTEXT_MESSAGE = `/** A message of the context. Its entry is not known. */
interface ContextMessage {
  message: AgentMessage;
  entryIndex: number | null;
}`;

function kindOf(tree: SyntaxTree, specifier: SyntaxNode): string {
  return /^type\s/.test(tree.source(specifier)) ? 'type ' : '';
}

function printImport(
  tree: SyntaxTree,
  statement: SyntaxNode,
  { module, dropped }: Rewritten,
  print: (node: SyntaxNode) => string,
): string {
  const specifiers = arrayOf(statement, 'specifiers');
  const kept = specifiers.filter(specifier => !dropped.has(specifier));
  const from = nodeAt(statement, 'source');
  if (from === undefined) return tree.source(statement);
  if (kept.length === 0 && specifiers.length > 0) return GONE;
  const quoted = quotedLike(tree.source(from), module);
  const end = tree.text.slice(from.end, statement.end);
  if (dropped.size === 0) {
    let at = statement.start;
    let head = '';
    for (const specifier of specifiers) {
      head += tree.text.slice(at, specifier.start) + print(specifier);
      at = specifier.end;
    }
    return `${head}${tree.text.slice(at, from.start)}${quoted}${end}`;
  }
  const type = statement['importKind'] === 'type' ? 'type ' : '';
  return `import ${type}{ ${kept.map(print).join(', ')} } from ${quoted}${end}`;
}

/** Marks the place of an import that is removed. */
const GONE = '\uE001';

/** Marks the end of the last import. */
const END = '\uE002';

function add(needs: NeededCode, module: string, clause: string): void {
  needs.imports.set(module, new Set([...(needs.imports.get(module) ?? []), clause]));
}

function withNeeds(text: string, needs: NeededCode, declared: ReadonlySet<string>, typed: boolean): string {
  for (const name of needs.helpers) {
    if (typed) for (const [module, clause] of HELPERS[name].imports) add(needs, module, clause);
  }
  const marked = text.replaceAll(/\uE001[ \t]*\n?/g, '');
  const lines = [...needs.imports].flatMap(([module, clauses]) =>
    module === ''
      ? []
      : [...clauses]
          .filter(clause => typed || !clause.startsWith('type'))
          .filter(clause => !declared.has(localIn(clause)))
          .map(clause => `import ${clause} from '${module}';\n`),
  );
  const plain = marked.replace(END, '');
  const end = endOfImports(marked);
  const own = [...(needs.imports.get('') ?? [])].map(code => `\n${code}\n`).join('');
  const helpers = [...needs.helpers].map(name => `\n${HELPERS[name].code(typed)}\n`).join('');
  return `${plain.slice(0, end)}${lines.join('')}${typed ? own : ''}${plain.slice(end).replace(/\n*$/, '\n')}${helpers}`;
}

/** Where new imports are added: behind the last import, or else behind the comments at the beginning. */
function endOfImports(marked: string): number {
  const at = marked.indexOf(END);
  if (at < 0) return /^(?:#![^\n]*\n)?(?:\/\/[^\n]*\n)*/.exec(marked)?.[0].length ?? 0;
  if (at === 0 || marked[at - 1] === '\n') return at;
  return at + (/^[ \t]*(?:\/\/[^\n]*)?\n/.exec(marked.slice(at + 1))?.[0].length ?? 0);
}

/** The name that an import clause such as `type { X as Y }` declares. */
function localIn(clause: string): string {
  return /(\w+)\s*\}?$/.exec(clause)?.[1] ?? '';
}
