import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as l10n from '@vscode/l10n';
import { outcomeText } from '../../../src/hook-insight/recording/outcome-text';

const OUTCOMES = [
  { type: 'nothing' },
  { type: 'blocked', reason: 'it deletes' },
  { type: 'returned', changed: ['input', 'output'] },
  { type: 'late', timeoutMs: 10 },
  { type: 'threw', message: 'no such file' },
  { type: 'of tomorrow' },
];

describe('the words for an outcome', () => {
  afterEach(() => l10n.config({ contents: {} }));

  it('are English where no language is set', () => {
    assert.deepEqual(
      OUTCOMES.map(outcome => outcomeText(outcome)),
      [
        'no decision',
        'blocked: it deletes',
        'changed input, output',
        'timed out after 10 ms',
        'threw: no such file',
        'of tomorrow',
      ],
    );
  });

  it('are in the language of the window', () => {
    l10n.config({ contents: readFileSync('l10n/bundle.l10n.de.json', 'utf8') });
    assert.deepEqual(
      OUTCOMES.map(outcome => outcomeText(outcome)),
      [
        'keine Entscheidung',
        'blockiert: it deletes',
        'geändert: input, output',
        'Zeit überschritten nach 10 ms',
        'mit einem Fehler beendet: no such file',
        'of tomorrow',
      ],
    );
  });
});
