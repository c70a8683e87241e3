import type { TestEvent } from '../test-event';
import { testFailure } from './failure';
import {
  Skipped,
  suitesAround,
  testsIn,
  type Body,
  type Suite,
  type Suites,
  type Test,
  type TestContext,
} from './suites';

/** Runs collected tests one after the other. It has no time limits: who started this process ends it. */
export class Execution {
  /** Fails what runs now. */
  private fail: ((error: unknown) => void) | undefined;

  constructor(
    private readonly file: string,
    private readonly report: (event: TestEvent) => void,
  ) {}

  /** Runs the tests with these ids, or all of them. */
  async run({ root }: Suites, only: readonly string[] | undefined): Promise<void> {
    const isChosen = ({ id }: Test): boolean => only?.includes(id) ?? true;
    const tests = testsIn(root).filter(isChosen);
    this.report({ type: 'collected', tests: tests.map(collected) });
    await this.runSuite(root, new Set(tests));
  }

  /** What was thrown outside of all calls: by a timer, or by a promise that nobody waits for. */
  thrown(error: unknown): void {
    if (this.fail !== undefined) this.fail(error);
    else this.report({ type: 'broken', id: this.file, failure: testFailure(error, this.file) });
  }

  private async runSuite(suite: Suite, chosen: ReadonlySet<Test>): Promise<void> {
    const tests = testsIn(suite).filter(test => chosen.has(test));
    const [first] = tests.filter(({ isSkipped }) => !isSkipped);
    if (tests.length === 0) return;
    if (first !== undefined && !(await this.prepare(suite, first, tests))) return;
    for (const child of suite.children) {
      if (child.kind === 'suite') await this.runSuite(child, chosen);
      else if (chosen.has(child)) await this.runTest(child);
    }
    if (first === undefined) return;
    try {
      for (const body of suite.around.after) await this.call(body);
    } catch (error) {
      this.report({ type: 'broken', id: suite.id, failure: testFailure(error, this.file) });
    }
  }

  /** Runs what a suite does before its tests. If that fails, all of them fail. */
  private async prepare(suite: Suite, first: Test, tests: readonly Test[]): Promise<boolean> {
    if (suite.around.before.length === 0) return true;
    this.report({ type: 'started', id: first.id, limitMs: suite.limitMs });
    try {
      for (const body of suite.around.before) await this.call(body);
      return true;
    } catch (error) {
      for (const { id } of tests) this.report(endOf(id, 0, error, this.file));
      return false;
    }
  }

  private async runTest(test: Test): Promise<void> {
    const { id, body, isSkipped, suite } = test;
    if (isSkipped || body === undefined) {
      this.report({ type: 'skipped', id });
      return;
    }
    this.report({ type: 'started', id, limitMs: suite.limitMs });
    const start = performance.now();
    const suites = suitesAround(test);
    const errors: unknown[] = [];
    await this.callAll([...suites.flatMap(({ around }) => around.beforeEach), body], errors);
    await this.callAll(
      suites.toReversed().flatMap(({ around }) => around.afterEach),
      errors,
    );
    const ms = performance.now() - start;
    this.report(errors.length === 0 ? { type: 'passed', id, ms } : endOf(id, ms, errors[0], this.file));
  }

  /** Calls the functions in order until one fails, and adds its error. */
  private async callAll(bodies: readonly Body[], errors: unknown[]): Promise<void> {
    try {
      for (const body of bodies) await this.call(body);
    } catch (error) {
      errors.push(error);
    }
  }

  private call(body: Body): Promise<void> {
    const context: TestContext = {
      timeout: ms => {
        this.report({ type: 'limited', limitMs: ms });
        return context;
      },
      skip: () => {
        throw new Skipped();
      },
      slow: () => context,
    };
    return new Promise<void>((resolve, reject) => {
      this.fail = reject;
      const done = (error?: unknown): void =>
        error === undefined || error === null ? resolve() : reject(asError(error));
      if (body.length > 0) body.call(context, done);
      else Promise.resolve(body.call(context)).then(() => resolve(), reject);
    }).finally(() => (this.fail = undefined));
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function endOf(id: string, ms: number, error: unknown, file: string): TestEvent {
  return error instanceof Skipped
    ? { type: 'skipped', id }
    : { type: 'failed', id, ms, failure: testFailure(error, file) };
}

function collected(test: Test): Extract<TestEvent, { type: 'collected' }>['tests'][number] {
  const path = [...suitesAround(test).slice(1), test].map(({ id, title }) => ({ id, title }));
  return { id: test.id, path, ...(test.place === undefined ? {} : { place: test.place }) };
}
