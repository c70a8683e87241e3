/** A text of a hook's question, or the command of the call, which stands once. */
export type QuestionPart = NamedText | { readonly type: 'command'; readonly command: string };
interface NamedText {
  readonly type: 'title' | 'message';
  readonly text: string;
}

/** Quotes that may stand around a command in a text. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“',
  '‘': '’',
  '«': '»',
};
/** What may stand before a command on its line: nothing, or words with a colon. */
const LABEL = /^\s*(?:[\p{L}\p{N} ]+:\s*)?$/u;

/**
 * The parts of a hook's question in order. Where a text has exactly the command on lines of its own, the command takes that
 * place; else it follows the title. It is left out where a text has it between quotes. A text that is only the command again is
 * left out as well.
 */
export function partsOf(title: string, message: string, command: string | undefined): readonly QuestionPart[] {
  const all: readonly NamedText[] = [
    { type: 'title', text: title },
    { type: 'message', text: message },
  ];
  if (command === undefined || command.trim() === '') return all.filter(hasText);
  const isQuoted = all.some(({ text }) => isBetweenQuotes(text, command));
  const isRepeated = ({ text }: NamedText): boolean => text.trim() === command.trim();
  const texts = isQuoted ? all.filter(part => !isRepeated(part)) : all;
  const at = texts.findIndex(({ text }) => ownLines(text, command) !== undefined);
  const parts = texts.flatMap((part, index): QuestionPart[] => {
    const own = index === at ? ownLines(part.text, command) : undefined;
    if (own !== undefined) {
      const { type } = part;
      return [
        { type, text: own.before },
        { type: 'command', command },
        { type, text: own.after },
      ];
    }
    if (isRepeated(part)) return [];
    return index === 0 && at < 0 && !isQuoted ? [part, { type: 'command', command }] : [part];
  });
  return parts.filter(hasText);
}

function hasText(part: QuestionPart): boolean {
  return part.type === 'command' || part.text.trim() !== '';
}

/** What stands before and after a command that has its lines for itself, apart from a label. */
function ownLines(text: string, command: string): { readonly before: string; readonly after: string } | undefined {
  for (const at of placesOf(text, command)) {
    const [before, after] = [text.slice(0, at), text.slice(at + command.length)];
    const label = before.slice(before.lastIndexOf('\n') + 1);
    if (LABEL.test(label) && /^[^\S\n]*(?:\n|$)/.test(after)) {
      return { before: before.trimEnd(), after: after.replace(/^\s*\n/, '').trimEnd() };
    }
  }
  return undefined;
}

function isBetweenQuotes(text: string, command: string): boolean {
  return placesOf(text, command).some(at => QUOTES[text.charAt(at - 1)] === (text.charAt(at + command.length) || null));
}

function placesOf(text: string, command: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(command); at >= 0; at = text.indexOf(command, at + 1)) places.push(at);
  return places;
}
