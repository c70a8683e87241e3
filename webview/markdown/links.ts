import { visibleLine } from '../../src/base/text/visible-text';

/** The target of a link: an address, or a file whose path the host resolves. Lines and columns are 1-based. */
export type LinkTarget =
  | { readonly type: 'web'; readonly href: string }
  | { readonly type: 'file'; readonly path: string; readonly line?: number; readonly column?: number };

const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const WEB = new Set(['http', 'https', 'mailto']);
const DRIVE = /^[a-z]:[\\/]/i;
/** Matches `main.ts:12`, which looks like a scheme with a path: it has a dot before the colon and only digits after it. */
const FILE_WITH_LINE = /^[^:/\\]*\.[^:/\\.]+:\d+(:\d+)?(-\d+)?$/;
const POSITION_SUFFIX = /(?::(\d+)(?::(\d+))?(?:-\d+)?|#L?(\d+)(?:[:C](\d+))?(?:-L?\d+(?:C\d+)?)?)$/;

/**
 * Reads a link in text from outside. Only http, https, mailto and file paths are allowed. Undefined for all others, which
 * stay plain text (`javascript:`, `command:`, `data:`, network shares, unknown schemes, hidden characters).
 */
export function linkTarget(raw: string): LinkTarget | undefined {
  const href = raw.trim();
  if (href === '' || hidesSomething(href)) return undefined;
  const scheme = SCHEME.exec(href)?.[1]?.toLowerCase();
  if (scheme !== undefined && WEB.has(scheme)) return webTarget(href);
  if (scheme === 'file') return fileUrlTarget(href);
  if (scheme !== undefined && !DRIVE.test(href) && !FILE_WITH_LINE.test(href)) return undefined;
  return fileTarget(href);
}

function webTarget(href: string): LinkTarget | undefined {
  return URL.canParse(href) ? { type: 'web', href } : undefined;
}

function fileUrlTarget(href: string): LinkTarget | undefined {
  const path = /^file:\/\/(\/[^/\\].*)$/i.exec(href)?.[1];
  if (path === undefined) return undefined;
  return fileTarget(/^\/[a-z]:/i.test(path) ? path.slice(1) : path);
}

function fileTarget(href: string): LinkTarget | undefined {
  const position = POSITION_SUFFIX.exec(href);
  const path = decoded(position ? href.slice(0, position.index) : href);
  if (path === undefined || !isLocalPath(path)) return undefined;
  const line = Number(position?.[1] ?? position?.[3] ?? 0);
  const column = Number(position?.[2] ?? position?.[4] ?? 0);
  return { type: 'file', path, ...(line > 0 ? { line } : {}), ...(column > 0 ? { column } : {}) };
}

/** Refuses network shares, which begin with two slashes or backslashes: opening one would connect to its server. */
function isLocalPath(path: string): boolean {
  if (path === '' || /^[#?]/.test(path) || /^[\\/]{2}/.test(path)) return false;
  return !hidesSomething(path) && path.length <= 4096;
}

function hidesSomething(target: string): boolean {
  return visibleLine(target) !== target;
}

function decoded(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    // The path is not percent-encoded; its file name contains a `%`.
    return path;
  }
}

const CODE_PATH = /^(?:[a-z]:[\\/])?(?:[\w.@~+-]+[\\/])*[\w.@+-]+\.[a-z0-9]{1,8}(?::\d+(?::\d+)?)?$/i;

/** Whether inline code such as `src/main.ts:12` looks like a file: it has an extension and a folder or a line. */
export function looksLikePath(code: string): boolean {
  return code.length <= 300 && /[\\/]|:\d/.test(code) && CODE_PATH.test(code);
}
