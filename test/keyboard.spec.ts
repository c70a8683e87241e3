import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category: string }[];
    readonly keybindings: readonly { readonly command: string; readonly key: string; readonly mac?: string }[];
  };
}

describe('docs/keyboard.md', () => {
  const { contributes } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
  const texts = JSON.parse(readFileSync(join(ROOT, 'package.nls.json'), 'utf8')) as Record<string, string>;
  const page = readFileSync(join(ROOT, 'docs', 'keyboard.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (`[^|]+`\)?) +\| (Hookline: [^|]+?) +\| [^|]+\|$/gm)].map(
    // The page has the keys as VS Code shows them, the manifest in lower case.
    ([, keys = '', title = '']) => `${keys.trim().toLowerCase()} ${title}`,
  );

  it('lists exactly the keys of the manifest, with the titles of their commands', () => {
    const titles = new Map(
      contributes.commands.map(({ command, title, category }) => [
        command,
        `${category}: ${texts[title.replaceAll('%', '')] ?? ''}`,
      ]),
    );
    const bindings = contributes.keybindings.map(({ command, key, mac }) => {
      const keys = mac === undefined ? `\`${key}\`` : `\`${key}\` (\`${mac}\`)`;
      return `${keys} ${titles.get(command) ?? command}`;
    });
    assert.deepEqual([...rows].sort(), [...bindings].sort());
  });

  it('is linked from the front page', () =>
    assert.match(readFileSync(join(ROOT, 'README.md'), 'utf8'), /\(docs\/keyboard\.md\)/));
});
