import { EVENT_NAMES } from '../../hook-contract/events/event-table';
import {
  arrayOf,
  isFunction,
  propertyName,
  memberName,
  nameOf,
  nodeAt,
  propertyNamed,
  stringOf,
  unwrapped,
  type SyntaxNode,
} from './syntax-node';
import type { Binding, SyntaxTree } from './syntax-tree';

/** The kind of object from the runtime that an expression is: `pi`, a `ctx` or its `ui`. */
export type Role =
  { readonly type: 'pi' } | { readonly type: 'ctx'; readonly of: 'event' | 'command' } | { readonly type: 'ui' };

/** A call of a method of `pi`, such as `pi.on` or `pi.registerCommand`. */
export interface WrittenCall {
  readonly call: SyntaxNode;
  /** Name of the method. */
  readonly method: string;
  /** The texts that the first argument can have: several in a loop over literals, none if it is computed. */
  readonly names: readonly string[];
  readonly nameNode: SyntaxNode | undefined;
  /** The registered function; undefined when it is not in this module or there is none. */
  readonly handler: SyntaxNode | undefined;
}

/** Methods whose handler is a member of their options, not the second argument itself. */
const HANDLER_IN_OPTIONS = /^(?:command|registerCommand|registerShortcut)$/;
const TYPES: Readonly<Record<string, Role>> = {
  HookAPI: { type: 'pi' },
  ExtensionAPI: { type: 'pi' },
  HookContext: { type: 'ctx', of: 'event' },
  HookEventContext: { type: 'ctx', of: 'event' },
  ExtensionContext: { type: 'ctx', of: 'event' },
  HookCommandContext: { type: 'ctx', of: 'command' },
  V2CommandContext: { type: 'ctx', of: 'command' },
  ExtensionCommandContext: { type: 'ctx', of: 'command' },
  HookUIContext: { type: 'ui' },
  ExtensionUIContext: { type: 'ui' },
};

/** Finds the names of a module that refer to objects from the runtime, as far as the text shows it. */
export class Roles {
  private readonly byId = new Map<SyntaxNode, Role>();
  /** Members of `this` by name; classes of the module are not distinguished. */
  private readonly byField = new Map<string, Role>();
  /** Destructuring patterns for objects from the runtime, with the role of the object. */
  readonly patterns = new Map<SyntaxNode, Role>();
  private list: readonly WrittenCall[] = [];

  /**
   * `given` lists what other modules pass to exported functions of this one. With `guesses`, a call of a method that
   * only the API has is taken for one, even if its object is not known to be `pi`.
   */
  constructor(
    readonly tree: SyntaxTree,
    given: readonly ParameterRole[] = [],
    private readonly options: { readonly guesses?: boolean } = {},
  ) {
    for (const node of tree.ofType('Identifier')) {
      const role = TYPES[typeName(node)];
      if (role !== undefined) this.byId.set(node, role);
    }
    const factory = factoryOf(tree);
    if (factory !== undefined) this.give(arrayOf(factory, 'params')[0], { type: 'pi' });
    for (const { to, index, role } of given) this.give(parametersOf(exportedAs(tree, to))[index], role);
    // Each round can find helpers that get objects which the round before found.
    for (let round = 0, known = -1; round < 6 && known < this.size; round++) {
      known = this.size;
      this.list = this.readCalls();
      for (const written of this.list) this.giveHandler(written);
      this.passOn();
    }
  }

  /** The calls of methods of `pi`, in the order of the source. */
  get calls(): readonly WrittenCall[] {
    return this.list;
  }

  /** The role of an expression; undefined if it is not an object from the runtime. */
  of(node: SyntaxNode | undefined): Role | undefined {
    const inner = unwrapped(node);
    if (memberName(inner) === 'ui' && this.of(nodeAt(inner, 'object'))?.type === 'ctx') return { type: 'ui' };
    if (nodeAt(inner, 'object')?.type === 'ThisExpression') return this.byField.get(memberName(inner) ?? '');
    if (inner?.type !== 'Identifier') return undefined;
    const own = this.byId.get(inner);
    if (own !== undefined) return own;
    const binding = this.tree.resolve(inner);
    return binding === undefined ? undefined : this.byId.get(binding.id);
  }

  private get size(): number {
    return this.byId.size + this.patterns.size + this.byField.size;
  }

  private give(target: SyntaxNode | undefined, role: Role): void {
    const parameter = target?.type === 'AssignmentPattern' ? nodeAt(target, 'left') : target;
    if (parameter?.type === 'Identifier') this.byId.set(parameter, this.byId.get(parameter) ?? role);
    if (parameter?.type !== 'ObjectPattern') return;
    this.patterns.set(parameter, this.patterns.get(parameter) ?? role);
    if (role.type === 'ctx') this.give(nodeAt(takenBy(parameter).get('ui'), 'value'), { type: 'ui' });
  }

  private readCalls(): readonly WrittenCall[] {
    return this.tree.ofType('CallExpression', 'OptionalCallExpression').flatMap((call): readonly WrittenCall[] => {
      const callee = nodeAt(call, 'callee');
      const method = memberName(callee);
      if (method === undefined) return [];
      const [nameNode, second] = arrayOf(call, 'arguments');
      const isApi = this.of(nodeAt(callee, 'object'))?.type === 'pi';
      if (!isApi && !(this.options.guesses === true && onlyApiHas(method, nameNode))) return [];
      const handler = HANDLER_IN_OPTIONS.test(method) ? this.handlerIn(second) : functionMeant(this.tree, second);
      return [{ call, method, names: this.stringsOf(nameNode), nameNode, handler }];
    });
  }

  private handlerIn(options: SyntaxNode | undefined): SyntaxNode | undefined {
    const object = objectMeant(this.tree, options);
    const property = propertyNamed(object, 'handler');
    return property?.type === 'ObjectMethod' ? property : functionMeant(this.tree, nodeAt(property, 'value'));
  }

  /**
   * The texts that a first argument can have: a literal, a constant, or the elements of the list that a loop is over.
   */
  private stringsOf(node: SyntaxNode | undefined): readonly string[] {
    const inner = unwrapped(node);
    const written = stringOf(inner);
    if (written !== undefined) return [written];
    const binding = inner === undefined ? undefined : this.tree.resolve(inner);
    if (binding?.owner.type !== 'VariableDeclarator') return [];
    const init = unwrapped(nodeAt(binding.owner, 'init'));
    const constant = stringOf(init);
    if (constant !== undefined) return [constant];
    const loop = this.tree.parent(this.tree.parent(binding.owner) ?? binding.owner);
    if (loop?.type !== 'ForOfStatement') return [];
    const list = listMeant(this.tree, nodeAt(loop, 'right'));
    return list.flatMap(element => stringOf(unwrapped(element)) ?? []);
  }

  private giveHandler({ method, handler }: WrittenCall): void {
    const parameters = arrayOf(handler, 'params');
    if (method === 'on') this.give(parameters[1], { type: 'ctx', of: 'event' });
    else if (method === 'command') this.give(parameters[0], { type: 'ctx', of: 'command' });
    else if (method === 'registerCommand' && parameters.length > 1) {
      this.give(parameters[1], { type: 'ctx', of: 'command' });
    } else if (method === 'registerCommand' && isLoneContext(parameters[0])) {
      this.give(parameters[0], { type: 'ctx', of: 'command' });
    } else if (method === 'registerShortcut') this.give(parameters[0], { type: 'ctx', of: 'event' });
  }

  /** Gives roles to parameters, variables and fields that get an object whose role is known. */
  private passOn(): void {
    for (const call of this.tree.ofType('CallExpression', 'NewExpression')) {
      const callee = nodeAt(call, 'callee');
      if (callee?.type !== 'Identifier') continue;
      const target = functionMeant(this.tree, callee) ?? this.tree.resolve(callee)?.owner;
      const parameters = parametersOf(target);
      arrayOf(call, 'arguments').forEach((argument, index) => {
        const role = this.of(argument);
        if (role !== undefined) this.give(parameters[index], role);
      });
    }
    for (const declarator of this.tree.ofType('VariableDeclarator')) {
      const role = this.of(nodeAt(declarator, 'init'));
      if (role !== undefined) this.give(nodeAt(declarator, 'id'), role);
    }
    for (const assignment of this.tree.ofType('AssignmentExpression')) {
      const left = nodeAt(assignment, 'left');
      const role = this.of(nodeAt(assignment, 'right'));
      if (nodeAt(left, 'object')?.type === 'ThisExpression') this.giveField(memberName(left), role);
    }
    for (const property of this.tree.ofType('TSParameterProperty')) {
      const parameter = nodeAt(property, 'parameter');
      this.giveField(nameOf(parameter), parameter === undefined ? undefined : this.byId.get(parameter));
    }
  }

  private giveField(name: string | undefined, role: Role | undefined): void {
    if (name !== undefined && role !== undefined) this.byField.set(name, this.byField.get(name) ?? role);
  }
}

/** Whether only the API has such a call. Event names such as `input` do not count: many other emitters have them. */
function onlyApiHas(method: string, first: SyntaxNode | undefined): boolean {
  if (method === 'on') {
    const event = stringOf(first) ?? '';
    return event.includes('_') && EVENT_NAMES.has(event);
  }
  return /^register(?:Command|Tool|Flag|Shortcut|Provider|VirtualModel|McpServer|\w+Renderer)$/.test(method);
}

/** An object from the runtime that is passed to a function of another module. */
export interface ParameterRole {
  /** The name under which the function is exported. */
  readonly to: string;
  /** The index of the parameter. */
  readonly index: number;
  readonly role: Role;
}

function parametersOf(node: SyntaxNode | undefined): readonly SyntaxNode[] {
  const made = arrayOf(nodeAt(node, 'body'), 'body').find(member => member['kind'] === 'constructor');
  const parameters = arrayOf(/^Class/.test(node?.type ?? '') ? made : node, 'params');
  return parameters.map(parameter => nodeAt(parameter, 'parameter') ?? parameter);
}

/** The function or class that a module exports under a name. */
function exportedAs(tree: SyntaxTree, name: string): SyntaxNode | undefined {
  if (name === 'default') return factoryOf(tree);
  for (const statement of tree.ofType('ExportNamedDeclaration')) {
    const declaration = nodeAt(statement, 'declaration');
    if (nameOf(nodeAt(declaration, 'id')) === name) return declaration;
    for (const declarator of arrayOf(declaration, 'declarations')) {
      if (nameOf(nodeAt(declarator, 'id')) === name) return functionMeant(tree, nodeAt(declarator, 'init'));
    }
  }
  return reexported(tree, name);
}

/** The function or class that `export { local as name }` exports. */
function reexported(tree: SyntaxTree, name: string): SyntaxNode | undefined {
  for (const specifier of tree.ofType('ExportSpecifier')) {
    const exported = nodeAt(specifier, 'exported');
    if (nameOf(exported) !== name && stringOf(exported) !== name) continue;
    const local = nodeAt(specifier, 'local');
    const binding = local === undefined ? undefined : tree.lookUp(nameOf(local), specifier);
    if (binding === undefined) continue;
    return binding.owner.type === 'VariableDeclarator'
      ? functionMeant(tree, nodeAt(binding.owner, 'init'))
      : binding.owner;
  }
  return undefined;
}

/** The function that the module exports as default or with `module.exports`; undefined when there is none. */
export function factoryOf(tree: SyntaxTree): SyntaxNode | undefined {
  const exported = tree.ofType('ExportDefaultDeclaration')[0];
  if (exported !== undefined) return functionMeant(tree, nodeAt(exported, 'declaration'));
  for (const assignment of tree.ofType('AssignmentExpression')) {
    if (tree.source(nodeAt(assignment, 'left') ?? assignment) !== 'module.exports') continue;
    return functionMeant(tree, nodeAt(assignment, 'right'));
  }
  const renamed = reexported(tree, 'default');
  return renamed !== undefined && isFunction(renamed) ? renamed : undefined;
}

/**
 * Whether the only parameter of a command looks like its context. If not, the dialect decides (docs/dialects.md, C12).
 */
function isLoneContext(parameter: SyntaxNode | undefined): boolean {
  if (parameter?.type === 'ObjectPattern') return true;
  return /^_?(?:ctx|context|c)$/.test(nameOf(parameter));
}

/** The expression with which a variable is declared; for anything other than a variable, the expression itself. */
export function initialValue(tree: SyntaxTree, node: SyntaxNode | undefined): SyntaxNode | undefined {
  const inner = unwrapped(node);
  const binding: Binding | undefined = inner === undefined ? undefined : tree.resolve(inner);
  return binding?.owner.type === 'VariableDeclarator' ? unwrapped(nodeAt(binding.owner, 'init')) : inner;
}

/** The function of this module that an expression refers to. */
function functionMeant(tree: SyntaxTree, node: SyntaxNode | undefined): SyntaxNode | undefined {
  const inner = unwrapped(node);
  if (inner === undefined) return undefined;
  if (isFunction(inner)) return inner;
  if (inner.type !== 'Identifier') return undefined;
  const binding = tree.resolve(inner);
  if (binding?.owner.type === 'FunctionDeclaration' && nodeAt(binding.owner, 'id') === binding.id) return binding.owner;
  const value = binding?.owner.type === 'VariableDeclarator' ? unwrapped(nodeAt(binding.owner, 'init')) : undefined;
  return value !== undefined && isFunction(value) ? value : undefined;
}

/** The object literal that an expression is or refers to. */
function objectMeant(tree: SyntaxTree, node: SyntaxNode | undefined): SyntaxNode | undefined {
  const value = initialValue(tree, node);
  return value?.type === 'ObjectExpression' ? value : undefined;
}

function listMeant(tree: SyntaxTree, node: SyntaxNode | undefined): readonly SyntaxNode[] {
  const value = initialValue(tree, node);
  return value?.type === 'ArrayExpression' ? arrayOf(value, 'elements') : [];
}

function typeName(identifier: SyntaxNode): string {
  const type = nodeAt(nodeAt(identifier, 'typeAnnotation'), 'typeAnnotation');
  return type?.type === 'TSTypeReference' ? nameOf(nodeAt(type, 'typeName')) : '';
}

/** The members that a pattern takes out of an object -> the property of each in the pattern. */
export function takenBy(pattern: SyntaxNode): ReadonlyMap<string, SyntaxNode> {
  return new Map(
    arrayOf(pattern, 'properties').flatMap(property => {
      const name = propertyName(property);
      return name === undefined ? [] : [[name, property] as const];
    }),
  );
}
