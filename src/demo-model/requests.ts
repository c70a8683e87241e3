import { isRecord } from '../base/json/is-record';

/** A tool call that the demo model was asked for. */
export interface DemoCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the demo model understands, as it says itself. */
export const CAPABILITIES = `I am the demo model of Hookline: I work offline and understand a few requests.

- tour
- list, or list src
- read README.md
- write notes.txt: hello
- edit notes.txt: replace hello with goodbye
- find *.ts
- search for TODO in src
- run \`npm test\`
- call my_tool {"some": "argument"}

Put names with spaces in backticks or quotes. In Plan mode, I present a plan.

For real work, choose another model: run "Hookline: Choose Model…" in VS Code, or use --model on the command line.`;

/** The calls of the tour, one after the other. */
const TOUR: readonly DemoCall[] = [
  { name: 'ls', args: {} },
  { name: 'write', args: { path: 'hookline-tour.txt', content: 'Hello from the demo model.\n' } },
  { name: 'edit', args: { path: 'hookline-tour.txt', oldText: 'Hello', newText: 'Goodbye' } },
  { name: 'read', args: { path: 'hookline-tour.txt' } },
  { name: 'bash', args: { command: 'rm -rf hookline-tour.txt' } },
];

type Parse = (...words: readonly string[]) => DemoCall | readonly DemoCall[];

/** A name in backticks, in quotes, or up to the next word of the request. */
const NAME = '(`[^`]+`|"[^"]*"|[^\\n]+?)';

/** The full stop of a sentence, but neither that of `.` and `..` nor one of a file extension. */
const STOP = '(?:(?<=[^\\s./\\\\])[.!?])?';

/** The requests, each with what its groups become; a group that is not there is empty. */
const REQUESTS: readonly (readonly [request: string, parse: Parse])[] = [
  ['tour', () => TOUR],
  ['(?:list|ls)(?: the files)?(?: in)?(?: NAME)?', path => ({ name: 'ls', args: path === '' ? {} : { path } })],
  ['read NAME', path => ({ name: 'read', args: { path } })],
  ['write NAME:(?: (.*))?', (path, content) => ({ name: 'write', args: { path, content } })],
  [
    'edit NAME:? replace NAME with NAME',
    (path, oldText, newText) => ({ name: 'edit', args: { path, oldText, newText } }),
  ],
  ['find NAME(?: in NAME)?', (pattern, path) => ({ name: 'find', args: { pattern, ...within(path) } })],
  [
    '(?:grep|search(?: for)?) NAME(?: in NAME)?',
    (pattern, path) => ({ name: 'grep', args: { pattern, literal: true, ...within(path) } }),
  ],
  ['run (?:(`[^`]+`).*|(.+))', (marked, plain) => ({ name: 'bash', args: { command: marked || plain } })],
  ['call ([\\w.:/-]+)(?: ?(\\{.*\\}))?', (name, json) => callOf(name, json)],
];

const FORMS = REQUESTS.map(
  ([request, parse]) =>
    [
      new RegExp(`^(?:please )?${request.replaceAll('NAME', NAME)}${STOP}$`.replaceAll(' ', '\\s+'), 'is'),
      parse,
    ] as const,
);

/** The tool calls that a message of the user asks for, in order; empty when it asks for nothing that the demo knows. */
export function parseRequest(text: string): readonly DemoCall[] {
  for (const [form, parse] of FORMS) {
    const match = form.exec(text.trim());
    if (match !== null) {
      return [parse(...match.slice(1).map((word: string | undefined) => unquoted(word ?? '')))].flat();
    }
  }
  return [];
}

function unquoted(word: string): string {
  return /^(?:`[^`]+`|"[^"]*")$/.test(word) ? word.slice(1, -1) : word;
}

function within(path: string): { readonly path?: string } {
  return path === '' ? {} : { path };
}

function callOf(name: string, json: string): readonly DemoCall[] {
  try {
    const args: unknown = JSON.parse(json || '{}');
    return isRecord(args) ? [{ name, args }] : [];
  } catch {
    return []; // Arguments that are not JSON: no call that could be made.
  }
}
