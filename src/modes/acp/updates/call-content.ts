import type { ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import type { ContentPart } from '../../../agent/messages';
import { toolFacts } from '../../../agent/tools';
import { textArgument, type ToolArguments } from '../../../agent/tools/facts';
import { resolveExisting } from '../../../agent/tools/files/paths';
import type { KnownTool } from '../../../agent/tools/tool';
import { membersOf } from '../../../base/json/is-record';
import { clippedInside } from '../../../base/text/clipped';
import { fenced } from '../../../base/text/fenced';
import { singleLine } from '../../../base/text/single-line';
import { visibleText } from '../../../base/text/visible-text';

/** Characters of a title, at most. */
const TITLE_LENGTH = 300;
/** Our tools whose facts do not tell their kind. */
const KINDS: Readonly<Record<string, ToolKind>> = { todo: 'think' };

/** What a client shows of a call without looking at any file. */
export interface CallWords {
  /** One line; hidden characters are marked. */
  readonly title: string;
  readonly kind: ToolKind;
  /** Absolute. */
  readonly locations: ToolCallLocation[];
}

/** Describes a call. `tool`: what is known of the tool, if there is one of this name. */
export function callWords(name: string, input: ToolArguments, cwd: string, tool?: KnownTool): CallWords {
  const facts = toolFacts(name);
  const { summarize = facts.summarize } = tool ?? {};
  const kind = kindOf(name, input, tool);
  const summary = kind === 'switch_mode' ? '' : singleLine(summarize(input));
  const isPlain = facts.summaryKind !== 'text' || facts.isReadOnly;
  const words = summary === '' ? name : isPlain ? summary : `${name}: ${summary}`;
  const file = facts.file(input);
  const line = file?.use === 'read' ? lineNumber(input['offset']) : undefined;
  const locations = file === undefined ? [] : [{ path: resolveExisting(file.path, cwd), ...line }];
  return { title: visibleText(clippedInside(words, TITLE_LENGTH)), kind, locations };
}

function kindOf(name: string, input: ToolArguments, tool: KnownTool | undefined): ToolKind {
  const facts = toolFacts(name);
  const use = facts.file(input)?.use;
  if (use !== undefined) return use === 'read' ? 'read' : 'edit';
  if (facts.summaryKind === 'command') return 'execute';
  if (facts.isReadOnly) return 'search';
  if (tool?.presentsPlan === true) return 'switch_mode';
  const annotations = membersOf(tool?.listing?.['annotations']);
  if (annotations['readOnlyHint'] === true) return annotations['openWorldHint'] === true ? 'fetch' : 'read';
  return (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined) ?? 'other';
}

function lineNumber(value: unknown): { readonly line: number } | undefined {
  return Number.isSafeInteger(value) && (value as number) > 0 ? { line: value as number } : undefined;
}

/** Whether a call may change the one file that it names. */
export function writesFile(name: string, input: ToolArguments): boolean {
  const use = toolFacts(name).file(input)?.use;
  return use === 'edit' || use === 'write';
}

/** Whether the tool of this name runs commands in a shell. */
export function runsCommands(name: string): boolean {
  return toolFacts(name).summaryKind === 'command';
}

/** The whole of what a call is about to do, as text: its command, its plan, or its arguments. */
export function inputContent(name: string, input: ToolArguments, tool?: KnownTool): ToolCallContent[] {
  if (tool?.presentsPlan === true) return [textContent(visibleText(textArgument(input, 'plan')))];
  if (runsCommands(name)) return [textContent(fenced(visibleText(textArgument(input, 'command')), 'sh'))];
  return [textContent(fenced(visibleText(JSON.stringify(input, undefined, 2)), 'json'))];
}

/** A text as content of a call. */
export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

/** What the model sees of a result. */
export function resultContent(parts: readonly ContentPart[]): ToolCallContent[] {
  return parts.map(part =>
    part.type === 'text'
      ? textContent(part.text)
      : { type: 'content', content: { type: 'image', data: part.data, mimeType: part.mimeType } },
  );
}

/** A copy of data of a hook or a tool that can be sent; undefined where it is no JSON. */
export function asJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined; // Foreign code gave it: what cannot be sent is left out.
  }
}
