import { Type } from '@sinclair/typebox';
import { defineTool, type AnyTool } from '../../agent/tools/tool';
import { isRecord } from '../../base/json/is-record';
import { rankTools, type SearchedTool } from './ranking';

export const TOOL_SEARCH = 'tool_search';
/** How many tools one search declares at most, if the model gives no limit. */
const DEFAULT_LIMIT = 8;

/** The tools to search in. */
export interface SearchedTools {
  /** Returns the tools that a search can find and that are not declared yet. */
  readonly undeclared: () => readonly AnyTool[];
  /** Declares tools to the model from the next request on. */
  readonly declare: (names: readonly string[]) => void;
  /** Resolves when servers that are still connecting have connected. */
  readonly ready: (signal: AbortSignal | undefined) => Promise<void>;
}

/** The tool with which a model finds tools that are not declared to it. */
export function createToolSearch({ undeclared, declare, ready }: SearchedTools): AnyTool {
  return defineTool({
    name: TOOL_SEARCH,
    label: TOOL_SEARCH,
    description:
      'Searches the tools that are not declared to you, for instance those of MCP servers, by what they do (BM25 over names, ' +
      'descriptions and parameters), and declares the best matches: from your next request on you can call them. Use it ' +
      'before you say that you lack a tool for something.',
    promptSnippet: 'Search for tools that are not declared yet, and declare the matches',
    parameters: Type.Object({
      query: Type.String({ description: 'What the tool should do, or its name' }),
      limit: Type.Optional(
        Type.Number({ description: `How many tools to declare at most (default: ${DEFAULT_LIMIT})` }),
      ),
    }),
    exposure: 'model-only',
    defaultActive: false,
    listing: {
      reachesTools: () => 'all',
      sourceInfo: { path: 'builtin:tool-search', source: 'builtin', scope: 'temporary', origin: 'top-level' },
    },
    icon: 'search',
    isOurs: true,
    isReadOnly: true,
    summarize: args => (typeof args['query'] === 'string' ? args['query'] : ''),
    execute: async (_id, { query, limit = DEFAULT_LIMIT }, signal) => {
      if (query.trim() === '') throw new Error('query must not be empty');
      if (!Number.isInteger(limit) || limit <= 0) throw new Error('limit must be a positive integer');
      await ready(signal);
      const tools = undeclared();
      const found = rankTools(query, tools.map(searched), limit);
      declare(found);
      const lines = found.map(name => `- ${name}: ${firstLine(tools.find(tool => tool.name === name))}`);
      const text =
        found.length === 0
          ? 'No matching tools found.'
          : `Declared ${found.length} ${found.length === 1 ? 'tool' : 'tools'}, which you can call from your next request on:\n${lines.join('\n')}`;
      return { content: [{ type: 'text', text }], details: { loaded: [...found] } };
    },
  });
}

function searched({ name, description, parameters, listing }: AnyTool): SearchedTool {
  const namespace = listing?.['namespace'];
  const { name: group, description: about, instructions } = isRecord(namespace) ? namespace : {};
  const texts = [group, about, instructions].filter(text => typeof text === 'string');
  return { name, description, parameters: parameters as unknown, group: texts.join(' ') };
}

function firstLine(tool: AnyTool | undefined): string {
  return tool?.description.trim().split(/\r?\n/, 1)[0] ?? '';
}
