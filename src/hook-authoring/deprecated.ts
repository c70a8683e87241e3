import { newestName } from '../hooks/events/event-table';
import type { DialectId } from '../hooks/hook';

/** A member of an older dialect in the source of a hook; it works, and newer documents know another way. */
export interface DeprecatedUse {
  /** 1-based. */
  readonly line: number;
  /** What is there. */
  readonly word: string;
  readonly message: string;
  /** False: it is not of the file's own dialect either. */
  readonly isOwn: boolean;
}

interface Deprecated {
  readonly word: string;
  /** Finds the word, which is its first group. */
  readonly use: RegExp;
  /** Dialects whose documents have it. */
  readonly of: readonly DialectId[];
  /** The newer way, for people. */
  readonly instead: string;
  /** Stands in its place without any other change. */
  readonly rename?: string;
}

const event = (word: string, of: readonly DialectId[], instead: string, rename = newestName(word)): Deprecated => ({
  word,
  use: new RegExp(`\\.on\\(\\s*['"\`](${word})['"\`]`),
  of,
  instead,
  ...(rename === undefined ? {} : { rename }),
});
const member = (owner: string, word: string, of: readonly DialectId[], instead: string): Deprecated => ({
  word,
  use: new RegExp(`\\b(?:${owner})\\.(${word})\\s*\\(`),
  of,
  instead,
});

const PI = 'pi|api|hook|hooks';
const CTX = 'ctx|context';

/** Names that later descriptions replaced, with the dialects that have them and what to write today. */
const DEPRECATED: readonly Deprecated[] = [
  event('session', ['v1', 'tree'], 'session_start, session_before_switch and the other events of their own'),
  event('session_before_branch', ['tree', 'omp'], 'session_before_fork'),
  event('session_branch', ['tree', 'omp'], 'session_start with the reason "fork"'),
  event('branch', [], 'session_before_fork'),
  member(PI, 'send', ['v1'], 'pi.sendUserMessage or pi.sendMessage'),
  member(PI, 'command', ['v2'], 'pi.registerCommand'),
  member(CTX, 'exec', ['v1', 'v2'], 'pi.exec'),
  member(CTX, 'setModel', ['v2'], 'pi.setModel'),
  member(CTX, 'setThinkingLevel', ['v2'], 'pi.setThinkingLevel'),
  {
    word: 'messageTransformer',
    use: /\b(messageTransformer)\b/,
    of: ['v1'],
    instead: 'convertToLlm',
    rename: 'convertToLlm',
  },
];

/** Uses of what newer dialects replaced, by line; comments are left out. `dialect` is that of the file. */
export function deprecatedIn(text: string, dialect: DialectId): readonly DeprecatedUse[] {
  const lines = withoutComments(text).split('\n');
  return lines.flatMap((source, index) =>
    DEPRECATED.flatMap(({ word, use, of, instead }): DeprecatedUse[] => {
      if (!use.test(source)) return [];
      const isOwn = of.includes(dialect);
      const whose = of.length === 0 ? 'an early draft' : `the dialect ${of.join(' and ')}`;
      const message = `"${word}" is of ${whose}. It works; newer hooks use ${instead}.`;
      return [{ line: index + 1, word, message, isOwn }];
    }),
  );
}

/** The name that can be in place of a deprecated one without any other change. */
export function renamedTo(word: string): string | undefined {
  return DEPRECATED.find(each => each.word === word)?.rename;
}

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

/** Keeps the line breaks, so that lines stay where they are. */
function withoutComments(text: string): string {
  return text.replace(TOKEN, token => (/^\/[/*]/.test(token) ? token.replace(/[^\n]/g, ' ') : token));
}
