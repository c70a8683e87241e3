import type { Usage } from '@mariozechner/pi-ai';
import type { DispatchOutcome } from '../../record';
import { NO_DECISION, type AnswerVerdict } from '../event-row';
import { isRecord } from '../../../base/json/is-record';

/** An answer as an object; its members may be getters of the hook, so reading one may throw. */
export type AnswerMembers = Readonly<Record<string, unknown>>;

/**
 * The answer as an object. Undefined for any other value, such as the number or boolean that an arrow function without
 * braces returns by accident.
 */
export function answerOf(returned: unknown): AnswerMembers | undefined {
  return typeof returned === 'object' && returned !== null ? (returned as AnswerMembers) : undefined;
}

/** The verdict for an answer that is not an object. */
export function noAnswer(returned: unknown): AnswerVerdict {
  if (returned === undefined || returned === null) return NO_DECISION;
  return {
    outcome: {
      type: 'ignored',
      why: `returned ${typeof returned === 'object' ? 'an object' : `a ${typeof returned}`}`,
    },
  };
}

/** Reads members of an answer, and collects problems that name the member. */
export class AnswerReader {
  readonly problems: string[] = [];
  readonly changed: string[] = [];

  constructor(private readonly answer: AnswerMembers) {}

  has(name: string): boolean {
    return this.answer[name] !== undefined;
  }

  get(name: string): unknown {
    return this.answer[name];
  }

  flag(name: string): boolean {
    return Boolean(this.answer[name]);
  }

  text(name: string): string | undefined {
    return this.typed(name, 'a string', (value): value is string => typeof value === 'string');
  }

  boolean(name: string): boolean | undefined {
    return this.typed(name, 'true or false', (value): value is boolean => typeof value === 'boolean');
  }

  texts(name: string): readonly string[] | undefined {
    return this.typed(
      name,
      'an array of strings',
      (value): value is readonly string[] => Array.isArray(value) && value.every(item => typeof item === 'string'),
    );
  }

  object(name: string): AnswerMembers | undefined {
    return this.typed(name, 'an object', isRecord);
  }

  list(name: string): readonly unknown[] | undefined {
    return this.typed(name, 'an array', (value): value is readonly unknown[] => Array.isArray(value));
  }

  /** The member if it has the type; undefined if it is absent, or if it has another type, which adds a problem. */
  typed<V>(name: string, expected: string, is: (value: unknown) => value is V): V | undefined {
    const value = this.answer[name];
    if (value === undefined) return undefined;
    if (is(value)) return value;
    const isOther = Array.isArray(value) && expected.startsWith('an array');
    this.problems.push(`"${name}" must be ${expected}, not ${isOther ? 'of something else' : describe(value)}`);
    return undefined;
  }

  /** The verdict on the answer, after all of its members were read. */
  verdict(outcome?: DispatchOutcome, stop = false): AnswerVerdict {
    const finalOutcome = outcome ?? this.plainOutcome();
    return {
      outcome: finalOutcome,
      ...(stop ? { stop } : {}),
      ...(this.problems.length > 0 ? { problems: this.problems } : {}),
    };
  }

  private plainOutcome(): DispatchOutcome {
    if (this.changed.length > 0) return { type: 'returned', changed: this.changed };
    const [problem] = this.problems;
    return problem === undefined ? { type: 'nothing' } : { type: 'ignored', why: problem };
  }
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The token usage of a summary that a hook returned; undefined if it is absent, or invalid, which adds a problem. */
export function readUsage(reading: AnswerReader, name: string, summary: AnswerMembers): Usage | undefined {
  const { usage } = summary;
  if (usage === undefined || isUsage(usage)) return usage;
  reading.problems.push(`"${name}.usage" must be the usage of a model's answer`);
  return undefined;
}

/** Whether a value is a list of the parts of which messages and results may consist. */
export function isContent(value: unknown): value is readonly { readonly type: string }[] {
  return Array.isArray(value) && value.every(isPart);
}

function isPart(value: unknown): boolean {
  const { type, text, data, mimeType } = isRecord(value) ? value : {};
  if (type === 'text') return typeof text === 'string';
  return type === 'image' && typeof data === 'string' && typeof mimeType === 'string';
}

/** Whether a value is the usage of a model, with all numbers that are summed up. */
export function isUsage(value: unknown): value is Usage {
  if (!isRecord(value) || !isRecord(value['cost'])) return false;
  const { cost } = value;
  const counts = ['input', 'output', 'cacheRead', 'cacheWrite'].flatMap(name => [value[name], cost[name]]);
  return [...counts, value['totalTokens'], cost['total']].every(count => typeof count === 'number');
}
