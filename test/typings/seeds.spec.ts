import assert from 'node:assert/strict';
import { SEED_INDEX, seedIt, seedText } from '../support/seeds';
import { typedHooks } from './editor';

/** Names that a document uses without saying where they come from. */
const BEFORE: Readonly<Record<string, string>> = {
  'tree-context-pruning': `import type { AppMessage, HookAPI } from '@mariozechner/pi-coding-agent/hooks';
type PruneRule = { readonly drop: string };
declare function applyPruning(messages: AppMessage[], rules: PruneRule[]): AppMessage[];
`,
};

/**
 * Complaints that are right. A filter over two conditions narrows nothing; and the design of v2, which was never
 * compiled, reads `content` from messages that have none and sends messages to the model that it cannot read.
 */
const RIGHT: Readonly<Record<string, readonly RegExp[]>> = {
  'tree-context-pruning': [/'data' does not exist on type 'SessionEntry'/],
  'v2-stacking': [
    ...Array.from({ length: 3 }, () => /'content' does not exist on type 'AgentMessage'/),
    /'AgentMessage' is not assignable to type 'Message'/,
    /"custom".* is not assignable to type '"user" \| "assistant" \| "toolResult" \| "system"'/,
  ],
};

describe('the types for hook authors, about the hooks of the documents', function () {
  this.timeout(120_000);
  const modules = SEED_INDEX.filter(({ form }) => form === 'module');
  const types = typedHooks(() =>
    Object.fromEntries(modules.map(seed => [pathOf(seed.id), `${BEFORE[seed.id] ?? ''}${seedText(seed)}`])),
  );

  for (const { id, what } of modules) {
    seedIt(`find nothing wrong with ${id}: ${what}`, async () => {
      const problems = (await types()).problems(pathOf(id));
      const right = RIGHT[id] ?? [];
      assert.equal(problems.length, right.length, problems.join('\n'));
      right.forEach((text, index) => assert.match(problems[index] ?? '', text));
    });
  }
});

function pathOf(id: string): string {
  return `.pi/hooks/documents-${id}.ts`;
}
