import { isRecord } from '../../base/json/is-record';
import { jsonText, partsText } from './payload';

/** A result of a tool of Claude Code. */
export interface ClaudeResult {
  /** As near to what the model gets as the result tells. */
  readonly text: string;
  /** The result with another text, in the form that Claude Code takes; undefined if the text has no place in it. */
  readonly replaced?: (text: string) => unknown;
  /** The model gets a sentence of Claude Code that holds nothing of what the tool read or wrote. */
  readonly isFixed?: true;
}

type Response = Readonly<Record<string, unknown>>;

/**
 * Reads `tool_response`. Claude Code ignores a replacement whose form is not that of the tool's output, so only forms that were
 * seen to be taken are replaced.
 */
export function claudeResult(toolName: string, response: unknown): ClaudeResult {
  if (typeof response === 'string') return { text: response, replaced: text => text };
  const parts = partsText(response);
  if (parts !== undefined) return { text: parts, replaced: text => [{ type: 'text', text }] };
  if (isRecord(response)) {
    const known = FORMS.get(toolName)?.(response);
    if (known !== undefined) return known;
  }
  return { text: jsonText(response) };
}

const FORMS: ReadonlyMap<string, (response: Response) => ClaudeResult | undefined> = new Map([
  ['Bash', command],
  ['Read', file],
  ['Write', written],
  ['Edit', written],
  ['MultiEdit', written],
  ['NotebookEdit', written],
]);

function command(response: Response): ClaudeResult | undefined {
  const { stdout, stderr, interrupted, backgroundTaskId } = response;
  if (typeof stdout !== 'string' || typeof stderr !== 'string') return undefined;
  return {
    text: [stdout, stderr].filter(text => text !== '').join('\n'),
    // Without the other members: they name files with the whole output.
    replaced: text => ({
      stdout: text,
      stderr: '',
      interrupted: interrupted === true,
      isImage: false,
      ...(typeof backgroundTaskId === 'string' ? { backgroundTaskId } : {}),
    }),
  };
}

function file(response: Response): ClaudeResult | undefined {
  const { type, file: read } = response;
  if (type !== 'text' || !isRecord(read) || typeof read['content'] !== 'string') return undefined;
  return {
    text: read['content'],
    replaced: text => {
      const lines = text.split('\n').length;
      return { type, file: { ...read, content: text, numLines: lines, totalLines: lines } };
    },
  };
}

function written({ filePath }: Response): ClaudeResult | undefined {
  return typeof filePath === 'string' ? { text: `Wrote ${filePath}`, isFixed: true } : undefined;
}
