/** A plain text in lines of at most `width` characters. */
export function wrapText(text: string, width: number): string[] {
  const size = Math.max(1, width);
  return text.split('\n').flatMap(line => {
    const rows: string[] = [];
    for (let at = 0; at === 0 || at < line.length; at += size) rows.push(line.slice(at, at + size));
    return rows;
  });
}
