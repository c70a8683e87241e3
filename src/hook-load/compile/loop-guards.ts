/** The name that compiled code passes to `require` to get its {@link ModuleGuard}. */
export const GUARD_MODULE = 'hookline:guard';

/** The counter that the guards of one module share. Its member names are short because every loop contains them. */
export interface ModuleGuard {
  /** How many more guards may run before the clock is checked. */
  n: number;
  /**
   * Checks the clock; `line` is the 1-based source line where the loop or function begins. Throws when it ran too long.
   */
  c(line: number): void;
}

/** The variable of a compiled module that holds its guard. */
export const GUARD = 'guard$hookline';

/**
 * The text of a guard. The `typeof` is for functions whose text runs elsewhere, in a browser page or in a worker, where
 * the guard variable does not exist. `line`: the 1-based source line where the loop or function begins.
 */
export function loopGuard(line: number): string {
  return `typeof ${GUARD} !== "undefined" && --${GUARD}.n < 0 && ${GUARD}.c(${line})`;
}

/** The types of nodes that can make a function run forever without a loop, by promises, microtasks or recursion. */
export const ACTIVE: readonly string[] = [
  'AwaitExpression',
  'CallExpression',
  'ImportExpression',
  'NewExpression',
  'OptionalCallExpression',
  'TaggedTemplateExpression',
  'YieldExpression',
];

/**
 * Whether a node is a method or property called `next`. Code without a guard can call it forever, for example
 * `new Set(iterable)`, a spread, or destructuring.
 */
export function isNext(node: object): boolean {
  const key: unknown = Reflect.get(node, 'key');
  return (
    typeof key === 'object' &&
    key !== null &&
    Reflect.get(key, 'type') === 'Identifier' &&
    Reflect.get(key, 'name') === 'next'
  );
}

/**
 * Babel sorts top-level statements by this number: the statement that wraps `require` has 10, imports have at most 3.
 */
export const BELOW_LOADERS = 9;

/** The few members of Babel's plugin interface that are used here. */
interface BabelTypes {
  readonly types: Record<
    | 'binaryExpression'
    | 'blockStatement'
    | 'callExpression'
    | 'expressionStatement'
    | 'identifier'
    | 'logicalExpression'
    | 'memberExpression'
    | 'numericLiteral'
    | 'sequenceExpression'
    | 'stringLiteral'
    | 'unaryExpression'
    | 'updateExpression'
    | 'variableDeclaration'
    | 'variableDeclarator',
    (...parts: readonly unknown[]) => object
  >;
}
interface Located {
  readonly loc?: { readonly start: { readonly line: number } } | null;
}
interface Block {
  readonly type: 'BlockStatement';
  readonly body: unknown[];
}
interface LoopPath {
  readonly node: Located & { body: Block | { readonly type: 'other' } };
}
interface FunctionPath extends LoopPath {
  readonly parent: object;
}
interface CallPath {
  getFunctionParent(): { readonly node: object } | null;
}
interface ProgramPath {
  unshiftContainer(key: 'body', nodes: readonly unknown[]): void;
}

/** Makes the guards, and the declaration of the counter that they share. */
class GuardMaker {
  constructor(private readonly t: BabelTypes['types']) {}

  /** Makes the nodes of {@link loopGuard}. */
  check(line: number): object {
    const { t } = this;
    const guard = t.identifier(GUARD);
    const isThere = t.binaryExpression('!==', t.unaryExpression('typeof', guard), t.stringLiteral('undefined'));
    const counted = t.updateExpression('--', t.memberExpression(guard, t.identifier('n')), true);
    const isDue = t.binaryExpression('<', counted, t.numericLiteral(0));
    const look = t.callExpression(t.memberExpression(guard, t.identifier('c')), [t.numericLiteral(line)]);
    return t.logicalExpression('&&', t.logicalExpression('&&', isThere, isDue), look);
  }

  /** Puts a check at the start of the body of a loop or function. */
  into(node: LoopPath['node'], line: number): void {
    const { t } = this;
    const { body } = node;
    const check = this.check(line);
    if (body.type === 'BlockStatement') body.body.unshift(t.expressionStatement(check));
    else node.body = t.blockStatement([t.expressionStatement(check), body]) as Block;
  }

  /** Like {@link into}, for a function whose body may be a single expression. */
  intoFunction(node: FunctionPath['node'], line: number): void {
    const { body } = node;
    if (body.type === 'BlockStatement') this.into(node, line);
    else node.body = this.t.sequenceExpression([this.check(line), body]) as Block;
  }

  declaration(): object {
    const { t } = this;
    const asked = t.callExpression(t.identifier('require'), [t.stringLiteral(GUARD_MODULE)]);
    const declaration = t.variableDeclaration('var', [t.variableDeclarator(t.identifier(GUARD), asked)]);
    return Object.assign(declaration, { _blockHoist: BELOW_LOADERS });
  }
}

/**
 * Babel plugin: puts a guard at the start of the body of each loop, and of each function that contains something
 * {@link ACTIVE} or is called `next`. Guards are written on the line where the body starts, so that line numbers stay the
 * same. Needs the `require` of the ownership plugin.
 */
export function loopGuardPlugin({ types }: BabelTypes): unknown {
  const make = new GuardMaker(types);
  const active = new WeakSet<object>();
  let guards = 0;
  const markActive = (path: CallPath): void => {
    const owner = path.getFunctionParent();
    if (owner !== null) active.add(owner.node);
  };
  return {
    visitor: {
      [ACTIVE.join('|')]: markActive,
      Loop: {
        exit({ node }: LoopPath): void {
          const line = node.loc?.start.line;
          if (line === undefined) return; // Another plugin made this loop.
          guards++;
          make.into(node, line);
        },
      },
      Function: {
        exit({ node, parent }: FunctionPath): void {
          const line = node.loc?.start.line;
          if (line === undefined || !(active.has(node) || isNext(node) || isNext(parent))) return;
          guards++;
          make.intoFunction(node, line);
        },
      },
      Program: {
        enter(): void {
          guards = 0;
        },
        exit(program: ProgramPath): void {
          if (guards > 0) program.unshiftContainer('body', [make.declaration()]);
        },
      },
    },
  };
}
