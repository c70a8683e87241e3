import { EventEmitter } from 'node:events';
import type { Log } from '../../base/log';
import { hintText, writtenKey } from '../../hook-contract/ui/key-hints';
import type { ModuleMembers, ModulePart } from './lazy-module';
import type { ShippedTheme } from './themes';

/** The names that pi's highlighter uses for languages, by file extension. */
const LANGUAGES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    typescript: 'ts tsx mts cts',
    javascript: 'js jsx mjs cjs',
    python: 'py',
    ruby: 'rb',
    rust: 'rs',
    go: 'go',
    java: 'java',
    kotlin: 'kt',
    swift: 'swift',
    c: 'c h',
    cpp: 'cpp cc cxx hpp',
    csharp: 'cs',
    php: 'php',
    bash: 'sh bash zsh',
    fish: 'fish',
    powershell: 'ps1',
    sql: 'sql',
    html: 'html htm',
    css: 'css',
    scss: 'scss',
    sass: 'sass',
    less: 'less',
    json: 'json',
    yaml: 'yaml yml',
    toml: 'toml',
    xml: 'xml',
    markdown: 'md markdown',
    dockerfile: 'dockerfile',
    makefile: 'makefile',
    lua: 'lua',
    perl: 'pl',
    r: 'r',
    scala: 'scala',
    elixir: 'ex exs',
    erlang: 'erl',
    haskell: 'hs',
  }).flatMap(([language, endings]) => endings.split(' ').map(ending => [ending, language])),
);

/** Small exports of `pi-coding-agent` that need nothing else (docs/hook-reference.md). */
export function rootValues(log: Log): ModuleMembers {
  return {
    CONFIG_DIR_NAME: '.pi',
    getLanguageFromPath: (path: string) => LANGUAGES[path.split('.').at(-1)?.toLowerCase() ?? ''],
    formatReadLineRange,
    createEventBus: () => createEventBus(log),
  };
}

/** Returns `:3`, `:3-7` or '' for the arguments `offset` and `limit` of `read`, which may be texts. */
function formatReadLineRange(offset: unknown, limit: unknown): string {
  if (isAbsent(offset) && isAbsent(limit)) return '';
  const start = isAbsent(offset) ? 1 : lineNumber(offset);
  const count = isAbsent(limit) ? 0 : lineNumber(limit);
  if (start === undefined || count === undefined) return '';
  return isAbsent(limit) ? `:${start}` : `:${start}-${start + count - 1}`;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function lineNumber(value: unknown): number | undefined {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof read === 'number' && Number.isFinite(read) ? read : undefined;
}

/** Makes an event bus for a hook; a listener that fails is logged and does not stop the others. */
function createEventBus(log: Log): object {
  const emitter = new EventEmitter();
  return {
    emit: (channel: string, data: unknown) => void emitter.emit(channel, data),
    on: (channel: string, listener: (data: unknown) => unknown) => {
      const heard = async (data: unknown): Promise<void> => {
        try {
          await listener(data);
        } catch (error) {
          log.error(`A listener of "${channel}" failed`, error);
        }
      };
      const own = (data: unknown): void => void heard(data);
      emitter.on(channel, own);
      return () => void emitter.off(channel, own);
    },
    clear: () => void emitter.removeAllListeners(),
  };
}

/** The functions that write key names for hints as pi does; for an unknown binding, the name is empty. */
export const keyHints = (theme: () => ShippedTheme): ModulePart => ({
  names: ['keyText', 'keyHint', 'rawKeyHint'],
  load: async () => {
    const { getKeybindings } = await import('@mariozechner/pi-tui');
    const keyText = (binding: never): string => writtenKey(getKeybindings().getKeys(binding).join('/'));
    return {
      keyText,
      keyHint: (binding: never, text: string) => hintText(theme(), keyText(binding), text),
      rawKeyHint: (key: string, text: string) => hintText(theme(), writtenKey(key), text),
    };
  },
});
