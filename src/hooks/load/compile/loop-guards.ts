/** The name by which compiled code asks its loader for its {@link ModuleGuard}. */
export const GUARD_MODULE = 'hookline:guard';

/** What the guards of one module count with; its names are short, since they are in every loop. */
export interface ModuleGuard {
  /** Rounds until the next look at the clock. */
  n: number;
  /** Looks at the clock, for the code that begins on this 1-based line of the source; throws when it ran too long. */
  c(line: number): void;
}

/** The variable of a compiled module that holds its guard. */
const GUARD = 'guard$hookline';

/** Babel sorts top-level statements by this at the end; the statement that wraps `require` has 10, imports at most 3. */
const BELOW_LOADERS = 9;

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

/** Makes the statement of one guard, and the declaration of what they all count with. */
class GuardMaker {
  constructor(private readonly t: BabelTypes['types']) {}

  /**
   * `typeof guard !== "undefined" && --guard.n < 0 && guard.c(line)`. `typeof` is for functions whose text is run
   * elsewhere, in a browser's page or in a worker, where there is no guard.
   */
  check(line: number): object {
    const { t } = this;
    const guard = t.identifier(GUARD);
    const isThere = t.binaryExpression('!==', t.unaryExpression('typeof', guard), t.stringLiteral('undefined'));
    const counted = t.updateExpression('--', t.memberExpression(guard, t.identifier('n')), true);
    const isDue = t.binaryExpression('<', counted, t.numericLiteral(0));
    const look = t.callExpression(t.memberExpression(guard, t.identifier('c')), [t.numericLiteral(line)]);
    return t.logicalExpression('&&', t.logicalExpression('&&', isThere, isDue), look);
  }

  /** Puts a check before what the body of a loop or function does. */
  into(node: LoopPath['node'], line: number): void {
    const { t } = this;
    const { body } = node;
    const check = this.check(line);
    if (body.type === 'BlockStatement') body.body.unshift(t.expressionStatement(check));
    else node.body = t.blockStatement([t.expressionStatement(check), body]) as Block;
  }

  /** As {@link into}, for an arrow function that may consist of one expression. */
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
 * Babel plugin: puts a guard at the start of the body of each loop, and of each function that calls, makes or awaits
 * something, as such a function can go on for ever through promises, microtasks or its own name without any loop. Guards
 * are written on the line where the body starts, so that no line moves. Needs the `require` of the ownership plugin.
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
      'CallExpression|OptionalCallExpression|NewExpression|TaggedTemplateExpression|AwaitExpression|YieldExpression':
        markActive,
      Loop: {
        exit({ node }: LoopPath): void {
          const line = node.loc?.start.line;
          if (line === undefined) return; // Made by another plugin.
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

/**
 * Whether this is a method, or a member that holds a function, called `next`: code that has no guard may call it for ever,
 * such as `new Set(iterable)`, a spread, or destructuring.
 */
function isNext(node: object): boolean {
  const key: unknown = Reflect.get(node, 'key');
  return typeof key === 'object' && key !== null && Reflect.get(key, 'name') === 'next';
}
