import { evidenceIn, type TextEvidence } from '../dialects/detect';
import type { HookSource } from './hook-module';

const known = new WeakMap<HookSource, { readonly count: number; readonly evidence: TextEvidence }>();

/**
 * What the texts of a hook's files tell of its dialect, JSON left out; the entry comes first. Files are only ever added to a
 * load, so the texts of the same entry and the same number of files are read once.
 */
export function evidenceOf(sources: readonly HookSource[]): TextEvidence {
  const [entry] = sources;
  const before = entry && known.get(entry);
  if (before?.count === sources.length) return before.evidence;
  const evidence = evidenceIn(sources.filter(({ path }) => !path.endsWith('.json')).map(({ text }) => text));
  if (entry !== undefined) known.set(entry, { count: sources.length, evidence });
  return evidence;
}
