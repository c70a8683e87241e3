/** The arguments that a model gave. Members may be missing, and there may be unknown ones. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** What a call does to the one file that it names. */
export interface FileUse {
  /** As the arguments have it. */
  readonly path: string;
  readonly use: 'read' | 'write' | 'edit';
  /** For a `write`: the complete new text of the file. */
  readonly content?: string;
}

/** What the rest of the product needs to know about a tool: cards, exports, summaries, the list of changed files. */
export interface ToolFacts {
  /** Name of a codicon. */
  readonly icon: string;
  /** What {@link summarize} gives. */
  readonly summaryKind: 'command' | 'path' | 'text';
  /** No call of it changes a file. */
  readonly isReadOnly: boolean;
  /** The one argument that tells a user what a call does. Empty if there is none. */
  readonly summarize: (args: ToolArguments) => string;
  /** The file that a call works on; with a tool that is not read-only, no call touches any other. */
  readonly file: (args: ToolArguments) => FileUse | undefined;
}

/** The facts of a tool about which nothing else is known: of a hook, of VS Code, or of a session from elsewhere. */
export const UNKNOWN_TOOL: ToolFacts = {
  icon: 'tools',
  summaryKind: 'text',
  isReadOnly: false,
  summarize: args =>
    Object.values(args).find((value): value is string => typeof value === 'string' && value !== '') ?? '',
  file: () => undefined,
};

/** The facts of a tool that works on the file of its argument `path` alone. */
export function fileToolFacts(icon: string, use: FileUse['use']): ToolFacts {
  return {
    icon,
    summaryKind: 'path',
    isReadOnly: use === 'read',
    summarize: args => textArgument(args, 'path'),
    file: args => {
      const path = textArgument(args, 'path');
      if (path === '') return undefined;
      return use === 'write' ? { path, use, content: textArgument(args, 'content') } : { path, use };
    },
  };
}

/** The pattern of a search, and its folder. */
export function summarizeSearch(args: ToolArguments): string {
  return [textArgument(args, 'pattern'), textArgument(args, 'path')].filter(part => part !== '').join(' in ');
}

/** A text among arguments. Empty if it is missing or is not a text. */
export function textArgument(args: ToolArguments, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value : '';
}
