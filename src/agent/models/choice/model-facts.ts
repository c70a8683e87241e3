import * as l10n from '@vscode/l10n';
import type { Api, Model } from '@mariozechner/pi-ai';

/** What people compare when they choose a model: price, size of the context, thinking, images; on one line. */
export function modelFacts({
  cost,
  contextWindow,
  reasoning,
  input,
}: Pick<Model<Api>, 'cost' | 'contextWindow' | 'reasoning' | 'input'>): string {
  return [
    ...priceOf(cost),
    ...(contextWindow > 0 ? [l10n.t('{0} context', amount(contextWindow))] : []),
    ...(reasoning ? [l10n.t('thinking')] : []),
    ...(input.includes('image') ? [l10n.t('images')] : []),
  ].join(' · ');
}

/** Nothing without a price: a model may cost nothing, or nobody may know what it costs. */
function priceOf({ input, output, tiers = [] }: Model<Api>['cost']): string[] {
  if (input === 0 && output === 0) return [];
  const price = l10n.t('{0} in, {1} out per million tokens', dollarsOf(input), dollarsOf(output));
  const [first] = [...tiers].sort((a, b) => a.inputTokensAbove - b.inputTokensAbove);
  return [first === undefined ? price : l10n.t('{0} (other prices above {1})', price, amount(first.inputTokensAbove))];
}

/** At least two digits after the point, and more only where the price has them. */
function dollarsOf(price: number): string {
  const short = price.toFixed(2);
  return `$${Number(short) === price ? short.replace(/\.00$/, '') : String(Number(price.toFixed(4)))}`;
}

function amount(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  const [value, unit] = tokens < 1_000_000 ? [tokens / 1000, 'k'] : [tokens / 1_000_000, 'M'];
  return `${String(Number(value.toFixed(value >= 100 ? 0 : 1)))}${unit}`;
}
