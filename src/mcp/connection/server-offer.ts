import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { defined } from '../../base/defined';
import { isRecord } from '../../base/json/is-record';
import { clipped } from '../../base/text/clipped';
import type * as Library from './sdk';

/** A tool as its server describes it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** A JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** The hints about the tool that are true or false; other annotations are left out. */
  readonly annotations: Readonly<Record<string, boolean>>;
}

export interface McpPromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

/** A prompt as its server describes it. */
export interface McpPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly McpPromptArgument[];
}

/** What a server offers. */
export interface McpOffer {
  readonly tools: readonly McpTool[];
  readonly prompts: readonly McpPrompt[];
  readonly hasResources: boolean;
  /** What the server says about all of its tools together. */
  readonly instructions?: string;
  /** What the server says about itself; `title` is its name for users. */
  readonly serverInfo?: { readonly name: string; readonly version: string; readonly title?: string };
  /** Messages about parts of the offer that cannot be used. */
  readonly problems: readonly string[];
}

/** The most items that a list of an offer may have; a longer list counts as an error. */
const OFFER_LIMIT = 5_000;
/** How many pages of one list are read at most. */
const PAGE_LIMIT = 100;
/** How many characters all pages of a list may have. */
const LIST_LIMIT = 32 * 1024 * 1024;
/** How many characters a description of a tool, or the instructions of a server, may have; of a longer one, the rest is left out. */
const TEXT_LIMIT = 16_000;
/** How many characters other texts for people may have, such as titles. */
const TITLE_LIMIT = 200;
/** How many characters a name may have. A name cannot be shortened, so what has a longer one is left out. */
const NAME_LIMIT = 200;
/** How many characters the schemas of a tool may have as JSON. */
const SCHEMA_LIMIT = 100_000;
/** How many characters all tools of a server may have together. */
const TOOLS_LIMIT = 2_000_000;
/** How many problems of an offer are named. */
const PROBLEM_LIMIT = 50;
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/**
 * Asks a server for everything that it offers; `timeout` is for each answer, in ms. A server that refuses to list its
 * prompts has none.
 * @throws Error when the server does not give a list
 */
export async function readOffer(
  client: Client,
  timeout: number,
  sdk: Pick<typeof Library, 'ResultSchema' | 'McpError'>,
): Promise<McpOffer> {
  const problems: string[] = [];
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const list = (method: string, member: string): Promise<readonly unknown[]> =>
    listAll(client, { method, member, timeout }, sdk);
  const withoutPrompts = (error: unknown): readonly unknown[] => {
    if (!(error instanceof sdk.McpError) || client.transport === undefined) throw error;
    problems.push(`Its prompts are left out: ${error.message}`);
    return [];
  };
  const rawTools = tools === undefined ? [] : await list('tools/list', 'tools');
  const rawPrompts = prompts === undefined ? [] : await list('prompts/list', 'prompts').catch(withoutPrompts);
  const instructions = shortened(client.getInstructions()?.trim() ?? '', 'Its instructions', problems);
  const info = client.getServerVersion();
  const serverInfo = info && {
    name: clipped(info.name, TITLE_LIMIT),
    version: clipped(info.version, TITLE_LIMIT),
    ...(info.title === undefined ? {} : { title: clipped(info.title, TITLE_LIMIT) }),
  };
  return {
    tools: readTools(rawTools, problems),
    prompts: readPrompts(rawPrompts, problems),
    hasResources: resources !== undefined,
    ...(instructions === '' ? {} : { instructions }),
    ...defined({ serverInfo }),
    problems: firstOf(problems),
  };
}

/** All items of a list with pages. @throws Error when the list is too long or its pages repeat */
async function listAll(
  client: Client,
  { method, member, timeout }: { readonly method: string; readonly member: string; readonly timeout: number },
  { ResultSchema }: Pick<typeof Library, 'ResultSchema'>,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const seen = new Set<unknown>();
  let size = 0;
  for (let cursor: unknown, page = 0; page < PAGE_LIMIT && items.length <= OFFER_LIMIT; page += 1) {
    const request = { method, ...(cursor === undefined ? {} : { params: { cursor } }) };
    const answer: Readonly<Record<string, unknown>> = await client.request(request, ResultSchema, { timeout });
    const { [member]: given, nextCursor } = answer;
    if (!Array.isArray(given)) throw new Error(`its answer to ${method} has no list "${member}"`);
    if ((size += sizeOf(given)) > LIST_LIMIT) throw new Error(`its answers to ${method} are too long`);
    items.push(...(given as readonly unknown[]));
    if (nextCursor === undefined || nextCursor === null) return items;
    if (seen.has(nextCursor)) throw new Error(`its answers to ${method} repeat a page`);
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw new Error(`its answers to ${method} do not end`);
}

/** The valid tools of a list; if two have the same name, the first counts. Adds a problem for each of the others. */
export function readTools(raw: readonly unknown[], problems: string[]): readonly McpTool[] {
  const tools = new Map<string, McpTool>();
  let size = 0;
  for (const item of raw) {
    const tool = readTool(item, problems);
    if (typeof tool === 'string') problems.push(tool);
    else if (tools.has(tool.name)) problems.push(`The tool "${tool.name}" is offered twice; the first counts.`);
    else if ((size += sizeOf(tool)) > TOOLS_LIMIT) {
      problems.push(
        `Its tools from "${tool.name}" on are left out, because all have more than ${TOOLS_LIMIT} characters.`,
      );
      break;
    } else tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

function readTool(item: unknown, problems: string[]): McpTool | string {
  if (!isRecord(item) || typeof item['name'] !== 'string' || item['name'] === '') {
    return 'A tool without a name is left out.';
  }
  const { name, title, description, inputSchema, outputSchema, annotations } = item;
  if (name.length > NAME_LIMIT) return `The tool "${clipped(name, 40)}" is left out, because its name is too long.`;
  if (sizeOf([inputSchema, outputSchema]) > SCHEMA_LIMIT) {
    return `The tool "${name}" is left out, because its schemas have more than ${SCHEMA_LIMIT} characters.`;
  }
  if (!isRecord(inputSchema) || (inputSchema['type'] ?? 'object') !== 'object') {
    return `The tool "${name}" is left out, because its "inputSchema" is not the schema of an object.`;
  }
  const { properties = {} } = inputSchema;
  if (!isRecord(properties)) {
    return `The tool "${name}" is left out, because "properties" of its schema is not an object.`;
  }
  const given = isRecord(annotations) ? annotations : {};
  const shownTitle = textIn(title) ?? textIn(given['title']);
  return {
    name,
    ...(shownTitle === undefined ? {} : { title: clipped(shownTitle, TITLE_LIMIT) }),
    ...(typeof description === 'string'
      ? { description: shortened(description, `The description of the tool "${name}"`, problems) }
      : {}),
    inputSchema: { ...inputSchema, type: 'object', properties },
    ...(isRecord(outputSchema) ? { outputSchema } : {}),
    annotations: Object.fromEntries(
      HINTS.flatMap(hint => (typeof given[hint] === 'boolean' ? [[hint, given[hint]]] : [])),
    ),
  };
}

/** Like {@link readTools}, but if two prompts have the same name, the last counts. */
export function readPrompts(raw: readonly unknown[], problems: string[]): readonly McpPrompt[] {
  const prompts = new Map<string, McpPrompt>();
  for (const item of raw) {
    if (!isRecord(item) || typeof item['name'] !== 'string' || item['name'] === '') {
      problems.push('A prompt without a name is left out.');
      continue;
    }
    const { name, title, description, arguments: given } = item;
    if (name.length > NAME_LIMIT || sizeOf(given) > SCHEMA_LIMIT) {
      problems.push(`The prompt "${clipped(name, 40)}" is left out, because its name or its arguments are too long.`);
      continue;
    }
    prompts.set(name, {
      name,
      ...(typeof title === 'string' ? { title: clipped(title, TITLE_LIMIT) } : {}),
      ...(typeof description === 'string'
        ? { description: shortened(description, `The description of the prompt "${name}"`, problems) }
        : {}),
      arguments: Array.isArray(given) ? given.flatMap(readArgument) : [],
    });
  }
  return [...prompts.values()];
}

function readArgument(item: unknown): McpPromptArgument[] {
  if (!isRecord(item) || typeof item['name'] !== 'string') return [];
  const { name, description, required } = item;
  return [{ name, ...(typeof description === 'string' ? { description } : {}), required: required === true }];
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A text up to the limit; of a longer one, the beginning and a note, and a problem that begins with `what`. */
function shortened(text: string, what: string, problems: string[]): string {
  if (text.length <= TEXT_LIMIT) return text;
  problems.push(`${what} has ${text.length} characters; only the first ${TEXT_LIMIT} are used.`);
  return `${text.slice(0, TEXT_LIMIT)}\n[Hookline left out the rest of this text: it has ${text.length} characters.]`;
}

/** Characters of a value as JSON; what is nested too deeply for JSON has no end. */
function sizeOf(value: unknown): number {
  try {
    return value === undefined ? 0 : JSON.stringify(value).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function firstOf(problems: readonly string[]): readonly string[] {
  const more = problems.length - PROBLEM_LIMIT;
  return more > 0 ? [...problems.slice(0, PROBLEM_LIMIT), `There are ${more} more problems.`] : problems;
}
