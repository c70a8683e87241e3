import * as l10n from '@vscode/l10n';
import { isAbsolute, resolve } from 'node:path';
import { toolFacts } from '../../agent/tools';
import type { ToolArguments } from '../../agent/tools/facts';
import { presentedPlan } from '../../agent/tools/plan-facts';
import type { ToolResult } from '../../agent/tools/tool';
import type { ToolItem } from '../../protocol/items/chat-item';
import { toolItemId } from '../model/chat-model';
import { wasLetGo } from '../../transcript/command-end';
import { outputText } from '../../transcript/message-text';
import { planEnd } from '../../transcript/plan-end';
import { defined } from '../../base/defined';

/** The most characters of arguments and of written texts. */
const MAX_ARGS = 20_000;

/** A fresh card for a call whose arguments may still be arriving. */
export function newToolItem(
  call: { readonly id: string; readonly name: string; readonly args: ToolArguments },
  cwd: string,
): ToolItem {
  const { icon, summaryKind } = toolFacts(call.name);
  return {
    kind: 'tool',
    id: toolItemId(call.id),
    toolCallId: call.id,
    name: call.name,
    icon,
    summaryKind,
    ...argumentFields(call.name, call.args, cwd),
    state: { type: 'writing' },
    output: '',
    images: [],
    verdicts: [],
  };
}

/** The members of a card that depend on the arguments. */
export function argumentFields(
  toolName: string,
  args: ToolArguments,
  cwd: string,
): Pick<ToolItem, 'summary' | 'args' | 'path' | 'changesPath' | 'content' | 'plan'> {
  const json = JSON.stringify(args, null, 2);
  const facts = toolFacts(toolName);
  const file = facts.file(args);
  return {
    summary: facts.summarize(args),
    args: cut(json),
    ...(file === undefined ? {} : { path: isAbsolute(file.path) ? file.path : resolve(cwd, file.path) }),
    ...(file === undefined || file.use === 'read' ? {} : { changesPath: true }),
    ...(file?.content === undefined ? {} : { content: cut(file.content) }),
    ...defined({ plan: presentedPlan(toolName, args) }),
  };
}

function cut(text: string): string {
  return text.length > MAX_ARGS ? `${text.slice(0, MAX_ARGS)}\n…` : text;
}

/** The members of a card that depend on the result of the call. */
export function resultFields(
  toolName: string,
  result: ToolResult,
): Pick<ToolItem, 'output' | 'images'> & Partial<Pick<ToolItem, 'diff' | 'fullOutputPath' | 'planEnd'>> {
  const isNoteLast = wasLetGo(result.details) && result.content.length > 1;
  const text = outputText(isNoteLast ? { ...result, content: result.content.slice(0, -1) } : result);
  const diff = detail(result, 'diff');
  const fullOutputPath = detail(result, 'fullOutputPath');
  const blindModel = detail(result, 'imageUnsupportedByModel');
  const notes =
    blindModel === undefined ? [] : [l10n.t('[The model {0} cannot see pictures; it got a placeholder.]', blindModel)];
  return {
    output: [text, ...notes].join('\n'),
    images: result.content.filter(part => part.type === 'image'),
    ...defined({ diff, fullOutputPath, planEnd: planEnd(toolName, result.details) }),
  };
}

function detail(result: ToolResult, key: string): string | undefined {
  const details: unknown = result.details;
  if (typeof details !== 'object' || details === null || !(key in details)) return undefined;
  const value = (details as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' ? value : undefined;
}
