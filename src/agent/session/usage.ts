import type { ToolResultMessage } from '../messages';
import { isSessionEntry, type StoredEntry, type StoredUsage } from './entry';

/** Sums of what models used; tokens by kind, and US dollars. */
export interface UsageTotals {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost: { readonly [K in CostPart]: number };
}

type CostPart = 'input' | 'output' | 'cacheRead' | 'cacheWrite' | 'total';

const NO_COST: UsageTotals['cost'] = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
export const NO_USAGE: UsageTotals = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cost: NO_COST };

/** The usage that an entry records: of an answer, a tool, a summary, or something else; undefined when it has none. */
export function usageOf(entry: StoredEntry): StoredUsage | undefined {
  if (!isSessionEntry(entry)) return undefined;
  switch (entry.type) {
    case 'usage':
    case 'compaction':
    case 'branch_summary':
      return entry.usage;
    case 'message': {
      const { message } = entry;
      if (message.role === 'assistant') return message.usage;
      return message.role === 'toolResult' ? toolUsage(message) : undefined;
    }
    case 'thinking_level_change':
    case 'model_change':
    case 'context_edit':
    case 'custom':
    case 'custom_message':
    case 'label':
    case 'session_info':
      return undefined;
  }
}

/** The model usage of a tool, when its result has it. */
export function toolUsage(result: ToolResultMessage): StoredUsage | undefined {
  const usage: unknown = 'usage' in result ? result.usage : undefined;
  return typeof usage === 'object' && usage !== null ? usage : undefined;
}

/** Adds up usage; values that are not numbers count as 0. */
export function addUsage(
  totals: UsageTotals,
  { input, output, cacheRead, cacheWrite, cost }: StoredUsage,
): UsageTotals {
  return {
    input: totals.input + numberOf(input),
    output: totals.output + numberOf(output),
    cacheRead: totals.cacheRead + numberOf(cacheRead),
    cacheWrite: totals.cacheWrite + numberOf(cacheWrite),
    cost: {
      input: totals.cost.input + numberOf(cost?.input),
      output: totals.cost.output + numberOf(cost?.output),
      cacheRead: totals.cost.cacheRead + numberOf(cost?.cacheRead),
      cacheWrite: totals.cost.cacheWrite + numberOf(cost?.cacheWrite),
      total: totals.cost.total + numberOf(cost?.total),
    },
  };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
