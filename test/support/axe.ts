import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Only what is read below is worked out, which takes a quarter less time. */
const RUN = "axe.run({ resultTypes: ['violations'], selectors: false }).then(({ violations }) => violations)";
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core calls serious or critical in a page or frame, one text per finding. */
export async function seriousFindings(frame: Pick<Frame, 'evaluate'>): Promise<readonly string[]> {
  await frame.evaluate(AXE);
  const findings = await frame.evaluate<readonly Finding[]>(RUN);
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`).join('\n')}`,
    );
}
