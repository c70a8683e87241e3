import { Type } from '@sinclair/typebox';
import { parse } from '../../base/json/schema';
import { evidenceIn, type TextEvidence } from '../../hook-contract/dialects/detect';
import type { CompileCache } from '../compile/compile-cache';
import { hashOf } from '../../base/files/hash-of';
import type { HookSource } from './hook-source';

const known = new WeakMap<HookSource, { readonly count: number; readonly evidence: TextEvidence }>();

/** Size of all texts, in bytes, from which reading the evidence from disk is faster than searching them. */
const LEAST = 50_000;

const STORED = Type.Object({
  specifiers: Type.Array(Type.String()),
  imported: Type.Array(Type.String()),
  marks: Type.Record(Type.String(), Type.String()),
  calls: Type.Array(Type.String()),
  override: Type.Optional(Type.String()),
});

/**
 * The evidence of a hook's dialect in the texts of its files, without JSON files; the entry comes first. The result is
 * kept per entry and number of files, because a load only ever adds files. With a `cache`, that of long texts is stored.
 */
export function evidenceOf(sources: readonly HookSource[], cache?: CompileCache): TextEvidence {
  const [entry] = sources;
  const before = entry && known.get(entry);
  if (before?.count === sources.length) return before.evidence;
  const code = sources.filter(({ path }) => !path.endsWith('.json'));
  const isLong = code.reduce((sum, { size }) => sum + size, 0) >= LEAST;
  const evidence = isLong && cache !== undefined ? storedEvidence(code, cache) : evidenceOfTexts(code);
  if (entry !== undefined) known.set(entry, { count: sources.length, evidence });
  return evidence;
}

function evidenceOfTexts(code: readonly HookSource[]): TextEvidence {
  return evidenceIn(code.map(({ text }) => text));
}

function storedEvidence(code: readonly HookSource[], cache: CompileCache): TextEvidence {
  const about = { file: code[0]?.path ?? '', hash: hashOf(code.map(({ hash }) => hash).join()) };
  const stored = evidenceFrom(cache.readNote('evidence', about));
  if (stored !== undefined) return stored;
  const { imported, ...others } = evidenceOfTexts(code);
  const text = JSON.stringify({ ...others, imported: [...imported] });
  cache.writeNote('evidence', about, text);
  return { ...others, imported };
}

function evidenceFrom(text: string | undefined): TextEvidence | undefined {
  if (text === undefined) return undefined;
  try {
    const read = parse(STORED, JSON.parse(text));
    if (!read.ok) return undefined;
    const { imported, override, ...others } = read.value;
    return { ...others, override, imported: new Set(imported) };
  } catch {
    return undefined; // The file is damaged, so the texts are searched again.
  }
}
