import { alongList } from '../../base/along-list';
import type { AgentMessage, SystemMessage, TextContent, ToolDeclaration } from '../messages';
import type { PromptSections } from './system-prompt';
import type { KnownTool } from '../tools/tool';

/** What the model knows of its prompt and tools after all system messages of a context (docs/sessions.md). */
interface PromptState {
  /** Texts outside of the sections, in order. */
  readonly content: readonly string[];
  readonly sections: ReadonlyMap<string, string>;
  readonly tools: ReadonlyMap<string, ToolDeclaration>;
}

function promptState(messages: readonly AgentMessage[]): PromptState | undefined {
  return stateAfter(messages.filter(message => message.role === 'system'));
}

/** If a context only grows, each of its messages is read once. */
const systemMessages = alongList<AgentMessage, SystemMessage[]>(
  () => [],
  (found, message) => {
    if (message.role === 'system') found.push(message);
  },
);

function stateAfter(messages: readonly SystemMessage[]): PromptState | undefined {
  if (messages.length === 0) return undefined;
  const content: string[] = [];
  const sections = new Map<string, string>();
  const tools = new Map<string, ToolDeclaration>();
  for (const message of messages) {
    const text = joinedText(message.content);
    if (text !== '') content.push(text);
    for (const [name, section] of Object.entries(message.sections ?? {})) {
      if (section === null) sections.delete(name);
      else sections.set(name, section);
    }
    for (const { name } of message.toolsRemoved ?? []) tools.delete(name);
    for (const tool of message.toolsAdded ?? []) tools.set(tool.name, tool);
  }
  return { content, sections, tools };
}

/** The system prompt and the tools that a context declares. Neither if it has no system message. */
export function recordedPrompt(messages: readonly AgentMessage[]): {
  readonly systemPrompt: string;
  readonly tools: readonly ToolDeclaration[];
} {
  const { content = [], sections = new Map<string, string>(), tools = new Map() } = promptState(messages) ?? {};
  return { systemPrompt: [...content, ...sections.values()].join('\n\n'), tools: [...tools.values()] };
}

/** All system messages of a context as one, as a compaction keeps it; undefined when there is none. */
export function promptCheckpoint(messages: readonly AgentMessage[], timestamp: number): SystemMessage | undefined {
  const state = promptState(messages);
  if (state === undefined) return undefined;
  const { content, sections, tools } = state;
  return {
    role: 'system',
    content: content.join('\n\n'),
    ...(sections.size === 0 ? {} : { sections: Object.fromEntries(sections) }),
    ...(tools.size === 0 ? {} : { toolsAdded: [...tools.values()] }),
    timestamp,
  };
}

/**
 * What the next request must tell the model about prompt and tools: at first everything, then what changed since the context.
 * Undefined if the model knows everything. A tool that changed is removed and added again. `tools` have different names.
 */
export function promptChange(
  messages: readonly AgentMessage[],
  wanted: PromptSections,
  tools: readonly KnownTool[],
): SystemMessage | undefined {
  const known = stateAfter(systemMessages(messages));
  const sections = sectionChanges(known?.sections ?? new Map<string, string>(), wanted);
  const { toolsAdded, toolsRemoved } = toolChanges(known?.tools ?? new Map<string, ToolDeclaration>(), tools);
  const hasSections = Object.keys(sections).length > 0;
  if (!hasSections && toolsAdded.length === 0 && toolsRemoved.length === 0) return undefined;
  return {
    role: 'system',
    content: '',
    ...(hasSections ? { sections } : {}),
    ...(toolsAdded.length === 0 ? {} : { toolsAdded }),
    ...(toolsRemoved.length === 0 ? {} : { toolsRemoved }),
    timestamp: Date.now(),
  };
}

function sectionChanges(known: ReadonlyMap<string, string>, wanted: PromptSections): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const [name, text] of Object.entries(wanted)) if (known.get(name) !== text) changes[name] = text;
  for (const name of known.keys()) if (!Object.hasOwn(wanted, name)) changes[name] = null;
  return changes;
}

function toolChanges(
  known: ReadonlyMap<string, ToolDeclaration>,
  tools: readonly KnownTool[],
): { readonly toolsAdded: readonly ToolDeclaration[]; readonly toolsRemoved: readonly { readonly name: string }[] } {
  // The parameters may be an object of a hook, which the hook may change.
  const wantedText = (tool: KnownTool): string => (tool.listing === undefined ? keptText(tool) : declarationText(tool));
  const isKnown = (tool: KnownTool): boolean => {
    const before = known.get(tool.name);
    return before !== undefined && keptText(before) === wantedText(tool);
  };
  if (tools.length === known.size && tools.every(isKnown)) return { toolsAdded: [], toolsRemoved: [] };
  const wanted = new Map(tools.map(tool => [tool.name, tool]));
  const isWanted = (name: string): boolean => {
    const tool = wanted.get(name);
    return tool !== undefined && isKnown(tool);
  };
  return {
    toolsAdded: tools.filter(tool => !isKnown(tool)).map(tool => JSON.parse(wantedText(tool)) as ToolDeclaration),
    toolsRemoved: [...known.keys()].filter(name => !isWanted(name)).map(name => ({ name })),
  };
}

/** The declared and stored members of a tool, as JSON in a fixed order, so that two can be compared. */
export function declarationText({
  name,
  description,
  parameters,
  constrainedSampling,
}: ToolDeclaration | KnownTool): string {
  return JSON.stringify({ name, description, parameters: parameters as object, constrainedSampling });
}

/**
 * {@link declarationText} of tools that are compared in each turn and do not change: those in messages of the session,
 * and our own.
 */
const keptTexts = new WeakMap<ToolDeclaration | KnownTool, string>();

function keptText(tool: ToolDeclaration | KnownTool): string {
  const text = keptTexts.get(tool) ?? declarationText(tool);
  keptTexts.set(tool, text);
  return text;
}

function joinedText(content: string | readonly TextContent[]): string {
  return typeof content === 'string' ? content : content.map(part => part.text).join('');
}
