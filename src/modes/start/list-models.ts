import type { Api, Model } from '@mariozechner/pi-ai';

/** The output of `--list-models`: the usable models that fit the search, one per line, in the format of today's pi. */
export function modelTable(models: readonly Model<Api>[], search: string): string {
  if (models.length === 0) return 'No model can be used: no API key is known.\n';
  const found = models.filter(({ provider, id }) => fits(`${provider} ${id}`, search));
  if (found.length === 0) return `No models matching "${search}"\n`;
  const rows = found
    .toSorted((a, b) => a.provider.localeCompare(b.provider) || a.id.localeCompare(b.id))
    .map(({ provider, id, contextWindow, maxTokens, reasoning, input }) => [
      provider,
      id,
      tokens(contextWindow),
      tokens(maxTokens),
      reasoning ? 'yes' : 'no',
      input.includes('image') ? 'yes' : 'no',
    ]);
  const table = [['provider', 'model', 'context', 'max-out', 'thinking', 'images'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map(row => row[column]?.length ?? 0))) ?? [];
  return table.map(row => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`).join('');
}

/**
 * Whether the text contains the letters of each word of the search, in order, but not necessarily next to each other.
 */
function fits(text: string, search: string): boolean {
  const lower = text.toLowerCase();
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '');
  return words.every(word => {
    let at = -1;
    return Array.from(word).every(letter => (at = lower.indexOf(letter, at + 1)) >= 0);
  });
}

function tokens(count: number): string {
  const scaled = (unit: number, name: string): string =>
    `${count % unit === 0 ? String(count / unit) : (count / unit).toFixed(1)}${name}`;
  if (count >= 1_000_000) return scaled(1_000_000, 'M');
  return count >= 1000 ? scaled(1000, 'K') : String(count);
}
