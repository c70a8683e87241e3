/** Codicons for files, by the ending of the name. */
const BY_ENDING: Readonly<Record<string, readonly string[]>> = {
  'file-code':
    'c cc cpp cs css go h hpp html java js jsx kt less lua mjs cjs php rs scss sh sql swift ts tsx vue xml'.split(' '),
  'file-media': 'avif bmp gif ico jpeg jpg mov mp3 mp4 png svg wav webm webp'.split(' '),
  'file-pdf': ['pdf'],
  'file-text': 'csv log rst txt'.split(' '),
  'file-zip': '7z bz2 gz jar rar tar tgz vsix xz zip'.split(' '),
  database: 'db sqlite sqlite3'.split(' '),
  gear: 'cfg conf env ini properties toml yaml yml'.split(' '),
  json: 'json json5 jsonc jsonl'.split(' '),
  markdown: 'markdown md mdx'.split(' '),
  python: ['py', 'pyi'],
  ruby: ['rb'],
};

const ICONS: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_ENDING).flatMap(([glyph, endings]) => endings.map(ending => [ending, glyph] as const)),
);

/** Name of the codicon for a file with this name or path. */
export function fileIcon(name: string): string {
  return ICONS.get(/\.([^./\\]+)$/.exec(name.toLowerCase())?.[1] ?? '') ?? 'file';
}
