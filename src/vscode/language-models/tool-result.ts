import * as vscode from 'vscode';
import type { ContentPart } from '../../agent/messages';
import { cutTexts } from './cut-texts';

/** The parts of a tool's result that a model can be shown, cut as results of our own tools are; what it cannot be shown is named in words. */
export function contentOf({ content }: vscode.LanguageModelToolResult): ContentPart[] {
  const parts = content.map(part => contentPart(part)).filter(part => part.type !== 'text' || part.text !== '');
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

/** What `@vscode/prompt-tsx` renders to JSON: a tree whose leaves have a `text`, line breaks before some of them. */
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
