import type { BashOperations } from '../session/event-parts';

/** What a built-in tool does its work with: give your own to `createReadTool` and its kin to work elsewhere. */
export interface ReadOperations {
  readFile(absolutePath: string): Promise<Buffer>;
  /** Throws when the file cannot be read. */
  access(absolutePath: string): Promise<void>;
  /** The type of a picture; nothing for other files. By content when this is missing. */
  detectImageMimeType?(absolutePath: string): Promise<string | null | undefined>;
}
export interface WriteOperations {
  writeFile(absolutePath: string, content: string): Promise<void>;
  /** Creates a folder with its parents. */
  mkdir(directory: string): Promise<void>;
}
export interface EditOperations {
  readFile(absolutePath: string): Promise<Buffer>;
  writeFile(absolutePath: string, content: string): Promise<void>;
  /** Throws when the file cannot be read and written. */
  access(absolutePath: string): Promise<void>;
}
export interface GrepOperations {
  /** Throws when there is nothing at the path. */
  isDirectory(absolutePath: string): Promise<boolean> | boolean;
  readFile(absolutePath: string): Promise<string> | string;
}
export interface FindOperations {
  exists(absolutePath: string): Promise<boolean> | boolean;
  /** Paths that match, relative to `cwd` or absolute. */
  glob(pattern: string, cwd: string, options: { ignore: string[]; limit: number }): Promise<string[]> | string[];
}
export interface LsOperations {
  exists(absolutePath: string): Promise<boolean> | boolean;
  /** Follows symbolic links; throws when there is nothing. */
  stat(absolutePath: string): Promise<{ isDirectory(): boolean }> | { isDirectory(): boolean };
  readdir(absolutePath: string): Promise<string[]> | string[];
}

/** A command of `bash` that is about to be started. */
export interface BashSpawnContext {
  command: string;
  cwd: string;
  env: Record<string, string | undefined>;
}
/** Changes a command before it is started. */
export type BashSpawnHook = (context: BashSpawnContext) => BashSpawnContext;

export interface BashToolOptions {
  operations?: BashOperations;
  /** A line that runs before each command. */
  commandPrefix?: string;
  spawnHook?: BashSpawnHook;
  shellPath?: string;
  /** `false`: commands are not told of the session and the model (`PI_SESSION_ID` and its kin). */
  exposeSessionEnvironment?: boolean;
}
export type PowerShellToolOptions = Pick<BashToolOptions, 'operations' | 'spawnHook' | 'exposeSessionEnvironment'>;
export interface ReadToolOptions {
  /** Whether pictures are made small enough for models; true when absent. */
  autoResizeImages?: boolean | (() => boolean);
  operations?: ReadOperations;
}
export interface WriteToolOptions {
  operations?: WriteOperations;
}
export interface EditToolOptions {
  operations?: EditOperations;
}
export interface GrepToolOptions {
  operations?: GrepOperations;
}
export interface FindToolOptions {
  operations?: FindOperations;
}
export interface LsToolOptions {
  operations?: LsOperations;
}
