import { Type, type Static } from '@sinclair/typebox';

/** A place in the test's file; both are 1-based. */
const PlaceSchema = Type.Object({ line: Type.Integer({ minimum: 1 }), column: Type.Integer({ minimum: 1 }) });

/** Characters of each text of a failure. */
export const MOST_FAILURE_CHARS = 64 * 1024;

const text = Type.String({ maxLength: MOST_FAILURE_CHARS });

const FailureSchema = Type.Object({
  /** One or more lines, without the stack. */
  message: text,
  /** The innermost place in the test's file, as far as the error names one. */
  place: Type.Optional(PlaceSchema),
  stack: Type.Optional(text),
  /** Both sides of an assertion, as text. Of long ones, what is around the first difference. */
  difference: Type.Optional(Type.Object({ expected: text, actual: text })),
  /** Texts were longer; `…` stands for what is missing. */
  isCut: Type.Optional(Type.Boolean()),
  /** Node's own code of the error. */
  code: Type.Optional(text),
});

const CollectedTestSchema = Type.Object({
  id: Type.String(),
  /** From the outermost suite to the test: id and title of each. */
  path: Type.Array(Type.Object({ id: Type.String(), title: Type.String() })),
  /** Where the test is defined. */
  place: Type.Optional(PlaceSchema),
});

const ms = Type.Number({ minimum: 0 });

/** What the process that runs a file of tests reports. */
export const TestEventSchema = Type.Union([
  /** It listens at this port of 127.0.0.1 and goes on when a debugger is attached. */
  Type.Object({ type: Type.Literal('waiting'), port: Type.Integer({ minimum: 1 }) }),
  /** The file was loaded; these tests will run, in this order. */
  Type.Object({ type: Type.Literal('collected'), tests: Type.Array(CollectedTestSchema) }),
  /** `limitMs` is how long the test may take; 0 is without end. */
  Type.Object({ type: Type.Literal('started'), id: Type.String(), limitMs: ms }),
  /** The running test chose another limit, which counts from now. */
  Type.Object({ type: Type.Literal('limited'), limitMs: ms }),
  Type.Object({ type: Type.Literal('passed'), id: Type.String(), ms }),
  Type.Object({ type: Type.Literal('skipped'), id: Type.String() }),
  Type.Object({ type: Type.Literal('failed'), id: Type.String(), ms, failure: FailureSchema }),
  /** The file cannot be loaded, or something outside of tests failed. `id`: path of the file, or id of a suite. */
  Type.Object({ type: Type.Literal('broken'), id: Type.String(), failure: FailureSchema }),
  Type.Object({ type: Type.Literal('done') }),
]);

export type TestEvent = Static<typeof TestEventSchema>;
export type TestFailure = Static<typeof FailureSchema>;
export type CollectedTest = Static<typeof CollectedTestSchema>;
export type TestPlace = Static<typeof PlaceSchema>;

/** What the process is told to run, as its first message. */
export interface TestTask {
  /** Absolute path. */
  readonly file: string;
  /** Ids of the tests to run; all without it. */
  readonly only?: readonly string[];
  /** How long loading the file, or a test that sets no limit, may take, ms. */
  readonly limitMs: number;
  /** Whether to wait for a debugger first. */
  readonly debug: boolean;
}
