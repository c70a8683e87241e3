import { hideSecrets } from '../../base/text/redact';
import { visibleParts, visibleText, withLineFeeds } from '../../base/text/visible-text';

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

/** Writes a text for people: hidden characters, such as those of escape sequences, are marked. */
export function printText(stream: Stream, text: string): void {
  stream.write(textForTerminal(text));
}

/** Writes a line for people, without secrets; hidden characters are marked. */
export function printErrorTo(stream: Stream, text: string): void {
  printText(stream, `${hideSecrets(text)}\n`);
}

/** Writes a text for other programs: exactly this text, unless a terminal gets it. */
export function printData(stream: Stream, text: string): void {
  stream.write(dataFor(stream, text));
}

/** The text that {@link printData} writes. */
export function dataFor({ isTTY }: Stream, text: string): string {
  return isTTY ? textForTerminal(text) : text;
}

/** Writes a value as a line of JSON, for other programs; a terminal gets hidden characters escaped. */
export function printJson(stream: Stream, json: string): void {
  stream.write(`${jsonFor(stream, json)}\n`);
}

/** The JSON that a stream gets: the same value, in which a terminal gets hidden characters escaped. */
export function jsonFor({ isTTY }: Stream, json: string): string {
  if (!isTTY) return json;
  return visibleParts(json)
    .map(({ type, text }) => (type === 'text' ? text : escaped(text)))
    .join('');
}

/** A text as a terminal shows it to people. */
export function textForTerminal(text: string): string {
  return visibleText(withLineFeeds(text));
}

function escaped(character: string): string {
  return character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
