import { basename } from 'node:path';
import type { McpHttpServerConfig, McpStdioServerConfig } from '../../hook-typings/registered/mcp';

/**
 * Reads a command line that starts a program, as users copy it from a web page. Quotes keep words together, and assignments
 * before the program (`KEY=value`) are its environment. Undefined when it names no program or a quote is not closed.
 */
export function readCommandLine(text: string): McpStdioServerConfig | undefined {
  const words = splitWords(text);
  if (words === undefined) return undefined;
  const first = words.findIndex(word => !/^[A-Za-z_]\w*=/.test(word));
  const [command, ...args] = first < 0 ? [] : words.slice(first);
  if (command === undefined || command === '') return undefined;
  const env = Object.fromEntries(
    words.slice(0, first).map(word => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(first === 0 ? {} : { env }),
  };
}

/** Suggests a name for a new server, such as `filesystem` for `npx -y @modelcontextprotocol/server-filesystem`. */
export function suggestedName(config: McpStdioServerConfig | McpHttpServerConfig): string {
  const word = 'url' in config ? hostWord(config.url) : programWord(config);
  const name = word
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^(?:mcp-server|server|mcp)-(?=\w)/, '')
    .replace(/-(?:mcp-server|server|mcp)$/, '')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'server' : name;
}

/** Programs that start another program or a script. */
const RUNNERS = /^(?:npx|uvx|bunx|pnpx|node|python3?|deno|bun|uv|docker|cmd)$/;

function programWord({ command, args = [] }: McpStdioServerConfig): string {
  const program = withoutEnding(command);
  const started = RUNNERS.test(program)
    ? args.find(arg => !/^-|^\/\w$/.test(arg) && !/^(?:run|exec|x)$/.test(arg))
    : undefined;
  return started === undefined ? program : withoutEnding(started.replace(/(?<=.)@[^/]*$/, ''));
}

function withoutEnding(path: string): string {
  return basename(path.replaceAll('\\', '/')).replace(/\.(?:exe|cmd|bat|[cm]?[jt]s|py|sh)$/i, '');
}

/** The main word of an address, such as `example` for `https://mcp.example.com/…`. */
function hostWord(url: string): string {
  const { hostname } = new URL(url);
  if (/^[\d.]+$|:/.test(hostname)) return 'local';
  const words = hostname.split('.').filter(word => !['www', 'mcp', 'api'].includes(word));
  return words.at(-2) ?? words[0] ?? hostname;
}

/** The words of a line; undefined when a quote is not closed. A backslash escapes only quotes and spaces. */
function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === '\\' && quote !== "'" && (next === '"' || (quote === undefined && /['\s]/.test(next)))) {
      word = (word ?? '') + next;
      at += 1;
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}
