/** What a link in the chat leads to. */
export type Link =
  | { readonly type: 'web'; readonly href: string }
  /** A file; the path may be relative to the workspace. Line and column are 1-based. */
  | { readonly type: 'file'; readonly path: string; readonly line?: number; readonly column?: number }
  /** A kind of link that is never followed, such as `command:` or `javascript:`. */
  | { readonly type: 'refused'; readonly scheme: string };

/** Reads a link that a model or a tool wrote. Only the web, mail and files are followed. */
export function readLink(href: string): Link {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(href)?.[1]?.toLowerCase();
  // `a.ts:12` looks like a scheme with an address, but it is a file with a line.
  if (scheme === undefined || /^[^/:]+:\d+(:\d+)?$/.test(href)) return filePlace(decode(href));
  if (scheme === 'http' || scheme === 'https' || scheme === 'mailto') return { type: 'web', href };
  if (scheme === 'file') return filePlace(decode(withoutAuthority(href)));
  return { type: 'refused', scheme };
}

function filePlace(text: string): Link {
  const match = /^(.*?)(?:#L(\d+)(?:C(\d+))?(?:-.*)?|:(\d+)(?::(\d+))?)?$/s.exec(text);
  const path = match?.[1] ?? text;
  const line = match?.[2] ?? match?.[4];
  const column = match?.[3] ?? match?.[5];
  return {
    type: 'file',
    path,
    ...(line === undefined ? {} : { line: Number(line) }),
    ...(column === undefined ? {} : { column: Number(column) }),
  };
}

function withoutAuthority(href: string): string {
  const path = href.replace(/^file:(\/\/[^/]*)?/i, '');
  return /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A stray percent sign is part of the name.
  }
}
