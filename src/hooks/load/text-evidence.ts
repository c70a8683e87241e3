import { evidenceIn, type TextEvidence } from '../dialects/detect';
import type { HookSource } from './hook-module';

const known = new WeakMap<HookSource, { readonly count: number; readonly evidence: TextEvidence }>();

/**
 * The evidence of a hook's dialect in the texts of its files, without JSON files; the entry comes first. The result is
 * kept per entry and number of files, because a load only ever adds files.
 */
export function evidenceOf(sources: readonly HookSource[]): TextEvidence {
  const [entry] = sources;
  const before = entry && known.get(entry);
  if (before?.count === sources.length) return before.evidence;
  const evidence = evidenceIn(sources.filter(({ path }) => !path.endsWith('.json')).map(({ text }) => text));
  if (entry !== undefined) known.set(entry, { count: sources.length, evidence });
  return evidence;
}
