import type { PackageOrigin } from '../agent/resources/package-origin';
import type { Problem } from '../base/result';
import type { DialectTag } from './dialect-id';

/** `built-in`: it ships with Hookline. */
export type HookOrigin = 'global' | 'workspace' | 'settings' | 'package' | 'explicit' | 'built-in';

/** Hooks and extensions have their own folders, patterns, order and error texts. */
export type HookGroup = 'hooks' | 'extensions';

/** Where a hook, skill or template comes from, in the words of today's pi. */
export interface SourceInfo {
  readonly path: string;
  /**
   * `auto`: found in a folder that is always searched; `local`: named by a setting; `cli`: by the command line; of
   * packages the source as written.
   */
  readonly source: string;
  readonly scope: 'user' | 'project' | 'temporary';
  readonly origin: 'top-level' | 'package';
  /** The folder whose `extensions`, `skills` or the like it was found in, or its own. */
  readonly baseDir?: string;
  /** For packages: the absolute path of their changelog. */
  readonly changelogPath?: string;
}

export interface HandlerInfo {
  /** Event name as registered. */
  readonly event: string;
  /** 1-based line in the TypeScript source, when known. */
  readonly line?: number;
  /** Absolute path of the source, when it is not the hook's entry but a module that it imports. */
  readonly file?: string;
}

export interface HookCommandInfo {
  readonly name: string;
  /** The name in the file, where several have it and `name` is numbered. */
  readonly registeredAs?: string;
  readonly description: string;
  readonly hookPath: string;
  readonly sourceInfo: SourceInfo;
  readonly line?: number | undefined;
  /** See {@link HandlerInfo.file}. */
  readonly file?: string | undefined;
}

/** A tool that a hook registers for the model. */
export interface HookToolInfo {
  readonly name: string;
  readonly description: string;
  readonly line?: number;
  /** See {@link HandlerInfo.file}. */
  readonly file?: string;
}

/** What a tool of the agent did to a hook's files; `unknown`: what was approved before is not known any more. */
export type HookChange = 'changed' | 'appeared' | 'vanished' | 'unknown';

/** What the world outside the runtime may know of a file, in whatever state it is. */
export interface HookInfo {
  /** Absolute path of the entry file. */
  readonly path: string;
  readonly origin: HookOrigin;
  /** The package that it is a part of. */
  readonly package?: PackageOrigin;
  readonly state:
    | { readonly type: 'live' }
    /** The file fails to load; the last good version is running. */
    | { readonly type: 'stale'; readonly problems: readonly Problem[] }
    | { readonly type: 'failed'; readonly problems: readonly Problem[]; readonly gatesTools: boolean }
    /** Its code kept everything else from running: it does not run any more. */
    | { readonly type: 'stopped'; readonly problems: readonly Problem[]; readonly gatesTools: boolean }
    /** A tool changed the files: what ran before keeps running, if anything did, until a user approves. */
    | {
        readonly type: 'waiting';
        readonly change: HookChange;
        /** No call ran, but these programs that one had started: then it may as well have been a user. */
        readonly stillRunning?: string;
        /** Nothing says that a tool did it; the user wants to see each change that was not saved in the editor. */
        readonly notSaved?: true;
        readonly gatesTools?: true;
      }
    /** `gatesTools` here is judged by the text alone. */
    | {
        readonly type: 'heldBack';
        readonly gatesTools?: true;
        /** Why its package is not approved, for people; absent: the folder is not trusted. */
        readonly unapproved?: string;
      }
    | { readonly type: 'off'; readonly gatesTools?: true };
  readonly dialect?: DialectTag;
  readonly handlers: readonly HandlerInfo[];
  readonly commands: readonly HookCommandInfo[];
  readonly tools: readonly HookToolInfo[];
  /** Absolute paths of the entry and of all it imports, as last read: what to watch. */
  readonly files?: readonly string[];
}
