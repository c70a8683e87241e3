import type { TestPlace } from '../test-event';
import { TestIds, testTitle } from '../test-ids';
import { placeIn } from './failure';

/** What `this` is in a test, in a function around tests, and in a suite. */
export interface TestContext {
  /** Sets how long it may take, ms; 0 is without end. */
  timeout(ms: number): TestContext;
  /** Ends the test as skipped. */
  skip(): never;
  /** Has no effect here. */
  slow(ms: number): TestContext;
}

/** A function of the test's author. One with a parameter ends when it calls `done`. */
export type Body = (this: TestContext, done?: (error?: unknown) => void) => unknown;

/** Functions around tests, as in mocha. */
export type Around = 'before' | 'after' | 'beforeEach' | 'afterEach';

export interface Suite {
  readonly kind: 'suite';
  readonly id: string;
  readonly title: string;
  readonly parent: Suite | undefined;
  readonly isSkipped: boolean;
  readonly children: (Suite | Test)[];
  readonly around: Readonly<Record<Around, Body[]>>;
  /** What its tests may take unless they say otherwise, ms. */
  limitMs: number;
}

export interface Test {
  readonly kind: 'test';
  readonly id: string;
  readonly title: string;
  readonly suite: Suite;
  readonly isSkipped: boolean;
  readonly body: Body | undefined;
  readonly place: TestPlace | undefined;
}

/** Is thrown by `this.skip()`. */
export class Skipped extends Error {}

type Define = (title: unknown, body?: Body) => void;

/** Collects what a file of tests defines through mocha's functions. */
export class Suites {
  readonly root: Suite;
  private readonly ids = new TestIds();
  private current: Suite;

  constructor(
    private readonly file: string,
    limitMs: number,
  ) {
    this.root = newSuite({ id: file, title: '', parent: undefined, isSkipped: false, limitMs });
    this.current = this.root;
  }

  /** The functions that the file finds as globals. Here, the user chooses what runs, so `only` has no effect. */
  functions(): Readonly<Record<string, unknown>> {
    const suite = withVariants(isSkipped => (title, body) => this.suite(testTitle(title), body, isSkipped));
    const test = withVariants(isSkipped => (title, body) => this.test(testTitle(title), body, isSkipped));
    const around = (when: Around) => (first: unknown, second?: Body) => {
      const body = typeof first === 'function' ? (first as Body) : second;
      if (body !== undefined) this.current.around[when].push(body);
    };
    return {
      ...{ describe: suite, context: suite, xdescribe: suite.skip, xcontext: suite.skip },
      ...{ it: test, specify: test, xit: test.skip, xspecify: test.skip },
      ...{ before: around('before'), after: around('after') },
      ...{ beforeEach: around('beforeEach'), afterEach: around('afterEach') },
    };
  }

  private suite(title: string, body: Body | undefined, isSkipped: boolean): void {
    const parent = this.current;
    const id = this.ids.next(parent.id, title);
    const suite = newSuite({ id, title, parent, isSkipped: isSkipped || parent.isSkipped, limitMs: parent.limitMs });
    parent.children.push(suite);
    this.current = suite;
    const context: TestContext = {
      timeout: ms => {
        suite.limitMs = ms;
        return context;
      },
      skip: () => {
        throw new Error('Use describe.skip.');
      },
      slow: () => context,
    };
    try {
      body?.call(context);
    } finally {
      this.current = parent;
    }
  }

  private test(title: string, body: Body | undefined, isSkipped: boolean): void {
    const suite = this.current;
    const id = this.ids.next(suite.id, title);
    const place = placeIn(new Error().stack ?? '', this.file);
    suite.children.push({ kind: 'test', id, title, suite, isSkipped: isSkipped || suite.isSkipped, body, place });
  }
}

function withVariants(define: (isSkipped: boolean) => Define): Define & { only: Define; skip: Define } {
  return Object.assign(define(false), { only: define(false), skip: define(true) });
}

function newSuite(members: Pick<Suite, 'id' | 'title' | 'parent' | 'isSkipped' | 'limitMs'>): Suite {
  return { kind: 'suite', ...members, children: [], around: { before: [], after: [], beforeEach: [], afterEach: [] } };
}

/** The tests in a suite and in its suites, in order. */
export function testsIn(suite: Suite): readonly Test[] {
  return suite.children.flatMap(child => (child.kind === 'test' ? [child] : testsIn(child)));
}

/** The suites around a test, from the outermost, which is the file. */
export function suitesAround(test: Test): readonly Suite[] {
  const around: Suite[] = [];
  for (let suite: Suite | undefined = test.suite; suite !== undefined; suite = suite.parent) around.unshift(suite);
  return around;
}
