import { newestName } from '../hook-contract/events/event-table';
import type { DialectId } from '../hook-contract/dialect-id';
import { defined } from '../base/defined';

/** A place where a hook uses a member of an older dialect. It still works, but newer dialects have a replacement. */
export interface DeprecatedUse {
  /** Counted from 1. */
  readonly line: number;
  /** The deprecated name. */
  readonly word: string;
  readonly message: string;
  /** Whether the file's own dialect has the member. */
  readonly isOwn: boolean;
}

interface Deprecated {
  readonly word: string;
  /** Matches a use; the word is its first group. */
  readonly use: RegExp;
  /** The dialects that have the word. */
  readonly of: readonly DialectId[];
  /** The replacement, in words for the user. */
  readonly instead: string;
  /** The new name, if replacing the word is enough. */
  readonly rename?: string;
}

const event = (word: string, of: readonly DialectId[], instead: string, rename = newestName(word)): Deprecated => ({
  word,
  use: new RegExp(`\\.on\\(\\s*['"\`](${word})['"\`]`),
  of,
  instead,
  ...defined({ rename }),
});
const member = (owner: string, word: string, of: readonly DialectId[], instead: string): Deprecated => ({
  word,
  use: new RegExp(`\\b(?:${owner})\\.(${word})\\s*\\(`),
  of,
  instead,
});

const PI = 'pi|api|hook|hooks';
const CTX = 'ctx|context';

/** The names that later dialects replaced, with the dialects that have them and what to write today. */
const DEPRECATED: readonly Deprecated[] = [
  event('session', ['v1', 'tree'], 'session_start, session_before_switch and other separate events'),
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

/** Finds uses of deprecated names line by line, outside of comments. `dialect` is the dialect of the file. */
export function deprecatedIn(text: string, dialect: DialectId): readonly DeprecatedUse[] {
  const lines = withoutComments(text).split('\n');
  return lines.flatMap((source, index) =>
    DEPRECATED.flatMap(({ word, use, of, instead }): DeprecatedUse[] => {
      if (!use.test(source)) return [];
      const isOwn = of.includes(dialect);
      const whose = of.length === 0 ? 'an early draft' : `the dialect ${of.join(' and ')}`;
      const message = `"${word}" is from ${whose}. It works, but newer hooks use ${instead}.`;
      return [{ line: index + 1, word, message, isOwn }];
    }),
  );
}

/** The new name of a deprecated one, if replacing it is enough; undefined otherwise. */
export function renamedTo(word: string): string | undefined {
  return DEPRECATED.find(each => each.word === word)?.rename;
}

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

/** Replaces comments with blanks and keeps line breaks, so that the numbers of lines stay the same. */
function withoutComments(text: string): string {
  return text.replace(TOKEN, token => (/^\/[/*]/.test(token) ? token.replace(/[^\n]/g, ' ') : token));
}
