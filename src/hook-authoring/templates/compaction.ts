import { importOf, NEWEST_FIRST, type DialectShape } from './dialect-shape';
import { CURSOR, type HookTemplate } from './template';

export const compaction: HookTemplate = {
  label: 'Custom compaction',
  detail: 'Writes the summary of a long conversation itself, without asking a model',
  fileName: 'compact',
  dialects: NEWEST_FIRST,
  body: (shape, { camel }) => `
${importOf(shape)}

/** Keeps only what the user asked for. */
export default function ${camel}(pi: ${shape.api}) {
${handler(shape)}
}

interface Message {
  readonly role: string;
  readonly content?: unknown;
}

function summaryOf(messages: readonly Message[], previous: string | undefined): string {
  const requests = messages.filter(({ role }) => role === 'user').map(({ content }) => \`- \${textOf(content)}\`);${CURSOR}
  // Without its summary, the older part of the conversation would be lost.
  return [...(previous ? [previous] : []), 'The user asked:', ...requests].join('\\n');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly { readonly text?: string }[] = Array.isArray(content) ? content : [];
  return parts.map(({ text }) => text ?? '[image]').join(' ');
}`,
};

function handler({ id }: DialectShape): string {
  if (id === 'v1' || id === 'v2') return OF_INDEXES;
  return id === 'tree' ? OF_TREE : OF_IDS;
}

const OF_INDEXES = `  pi.on('session', async event => {
    if (event.reason !== 'before_compact') return undefined;
    return {
      compactionEntry: {
        type: 'compaction',
        timestamp: new Date().toISOString(),
        summary: summaryOf(event.messagesToSummarize, event.previousSummary),
        firstKeptEntryIndex: event.cutPoint.firstKeptEntryIndex,
        tokensBefore: event.tokensBefore,
      },
    };
  });`;

const OF_TREE = `  pi.on('session', async event => {
    if (event.reason !== 'before_compact') return undefined;
    const { messagesToSummarize, firstKeptEntryId, tokensBefore } = event.preparation;
    const summary = summaryOf(messagesToSummarize, event.previousCompactions[0]?.summary);
    return { compaction: { summary, firstKeptEntryId, tokensBefore } };
  });`;

const OF_IDS = `  pi.on('session_before_compact', async event => {
    const { preparation } = event;
    const { firstKeptEntryId, tokensBefore, previousSummary } = preparation;
    // The second part is the beginning of a turn that was cut in two.
    const messages = [...preparation.messagesToSummarize, ...preparation.turnPrefixMessages];
    return { compaction: { summary: summaryOf(messages, previousSummary), firstKeptEntryId, tokensBefore } };
  });`;
