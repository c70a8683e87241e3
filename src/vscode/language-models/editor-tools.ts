import type { TSchema } from '@sinclair/typebox';
import * as vscode from 'vscode';
import { raceAbort } from '../../agent/tools/abort';
import type { AnyTool } from '../../agent/tools/tool';
import type { OptionalTool } from '../../session/ports/ports';
import { tokenOf } from './signal-token';
import type { ContentPart } from '../../agent/messages';
import type { McpServer } from '../../mcp/managed-server';
import { cutTexts } from './cut-texts';
import { isOurMcpTool } from './same-mcp-tool';

/** Caches the agent's tools by VS Code's description object, so that an unchanged tool stays the same object. */
const known = new WeakMap<vscode.LanguageModelToolInformation, AnyTool>();

/**
 * The tools that extensions and MCP servers give to VS Code (`vscode.lm.tools`), as tools of the agent. The agent may use
 * those that match a name in `offered` (a `*` at the end matches any rest of a name) and those that the user selects. Hooks
 * see their calls like those of other tools; VS Code may also ask the user. Tools of MCP servers in `servers` are left out,
 * because Hookline offers them through its own connection.
 */
export function editorTools(
  offered: readonly string[],
  servers: readonly Pick<McpServer, 'name' | 'offer'>[],
): readonly OptionalTool[] {
  return vscode.lm.tools
    .filter(info => !isOurMcpTool(info.name, servers))
    .map(info => ({ tool: toolOf(info), byDefault: offered.some(name => names(name, info.name)) }));
}

function names(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

function toolOf(info: vscode.LanguageModelToolInformation): AnyTool {
  const tool = known.get(info) ?? agentTool(info);
  known.set(info, tool);
  return tool;
}

function agentTool({ name, description, inputSchema }: vscode.LanguageModelToolInformation): AnyTool {
  return {
    name,
    label: name,
    description,
    // Providers and the check of arguments accept plain JSON Schema.
    parameters: (inputSchema ?? { type: 'object', properties: {} }) as TSchema,
    actsInEditor: true,
    async execute(_toolCallId, params: object, signal) {
      const token = tokenOf(signal);
      try {
        const options = { input: params, toolInvocationToken: undefined };
        const result = await raceAbort(signal, Promise.resolve(vscode.lm.invokeTool(name, options, token.value)));
        return { content: contentOf(result), details: { editorTool: name } };
      } finally {
        token.dispose();
      }
    },
  };
}

/** The result of a tool for the model, cut as results of Hookline's own tools are. Parts that it cannot read become a note. */
function contentOf({ content }: vscode.LanguageModelToolResult): ContentPart[] {
  const parts = content.map(contentPart).filter(part => part.type !== 'text' || part.text !== '');
  return parts.length === 0 ? [textPart('(no output)')] : cutTexts(parts);
}

function contentPart(part: unknown): ContentPart {
  if (part instanceof vscode.LanguageModelTextPart) return textPart(part.value);
  if (part instanceof vscode.LanguageModelDataPart) return dataPart(part);
  if (part instanceof vscode.LanguageModelPromptTsxPart) return textPart(promptText(part.value));
  return textPart('(a part of a kind that is not known here)');
}

function dataPart({ data, mimeType }: vscode.LanguageModelDataPart): ContentPart {
  if (mimeType.startsWith('image/')) {
    return { type: 'image', data: Buffer.from(data).toString('base64'), mimeType };
  }
  if (/^text\/|\bjson$/.test(mimeType)) return textPart(new TextDecoder().decode(data));
  return textPart(`(${data.byteLength} bytes of ${mimeType})`);
}

/** The text in the JSON that `@vscode/prompt-tsx` renders: a tree whose leaves have a `text` and may begin a new line. */
function promptText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const { node, children, text, lineBreakBefore } = value as Readonly<Record<string, unknown>>;
  if (node !== undefined) return promptText(node);
  if (typeof text === 'string') return `${lineBreakBefore === true ? '\n' : ''}${text}`;
  return Array.isArray(children) ? children.map(promptText).join('') : '';
}

function textPart(text: string): ContentPart {
  return { type: 'text', text };
}
