import assert from 'node:assert/strict';
import type { HookSource } from '../../../src/hooks/load/hook-module';
import { evidenceOf } from '../../../src/hooks/load/text-evidence';

describe('evidence in the texts of a load', () => {
  const source = (path: string, text: string): HookSource => ({ path, text, hash: '' });

  it('is read once for the same texts, and again with one more', () => {
    const entry = source('/a.ts', "import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';\npi.send();");
    const first = evidenceOf([entry]);
    assert.deepEqual([[...first.imported], first.calls], [['ExtensionAPI'], ['send']]);
    assert.equal(evidenceOf([entry]), first);
    const more = evidenceOf([entry, source('/b.ts', 'pi.exec(); pi.exec();'), source('/c.json', '"pi.x()"')]);
    assert.deepEqual(more.calls, ['send', 'exec']);
  });
});
