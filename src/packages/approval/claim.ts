/**
 * What the text of a package says about what it would do, by kind. `hidden`: code that the text does not show, `unsupported`:
 * what it uses and does not find here.
 */
export const CLAIM_KINDS = [
  'gate',
  'event',
  'tool',
  'command',
  'shortcut',
  'flag',
  'provider',
  'mcpServer',
  'renderer',
  'action',
  'module',
  'shellCommand',
  'host',
  'variable',
  'script',
  'binary',
  'dependency',
  'skill',
  'prompt',
  'theme',
  'hidden',
  'unsupported',
] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** A line of a package's file. */
export interface ClaimPlace {
  /** From the package's folder, with `/`. */
  readonly file: string;
  /** 1-based; absent for a whole file. */
  readonly line?: number;
}

/** One thing that a package would do. `kind` and `name` together tell it from the others. */
export interface Claim {
  readonly kind: ClaimKind;
  /** As a user would look for it in the source. */
  readonly name: string;
  /** What more the text tells of it. */
  readonly detail?: string;
  readonly places: readonly ClaimPlace[];
}

/** What an update changes of what a package would do. */
export interface ClaimChanges {
  readonly added: readonly Claim[];
  readonly removed: readonly Claim[];
}

/** Compares what two versions of a package would do; where in the code, and in which words, counts for nothing. */
export function claimChanges(before: readonly Claim[], after: readonly Claim[]): ClaimChanges {
  return { added: withoutThose(after, before), removed: withoutThose(before, after) };
}

function withoutThose(claims: readonly Claim[], others: readonly Claim[]): readonly Claim[] {
  const known = new Set(others.map(keyOf));
  return claims.filter(claim => !known.has(keyOf(claim)));
}

function keyOf({ kind, name }: Claim): string {
  return `${kind} ${name}`;
}

/** Joins claims of one kind and name, with all their places; in order of the kinds, and within one by name. */
export function mergedClaims(claims: readonly Claim[]): readonly Claim[] {
  const byKey = new Map<string, Claim>();
  for (const claim of claims) {
    const known = byKey.get(keyOf(claim));
    byKey.set(keyOf(claim), known === undefined ? claim : joined(known, claim));
  }
  return [...byKey.values()].sort(
    (a, b) => CLAIM_KINDS.indexOf(a.kind) - CLAIM_KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1),
  );
}

function joined(one: Claim, other: Claim): Claim {
  const details = [...new Set([one.detail, other.detail].flatMap(detail => detail?.split('; ') ?? []))];
  const seen = new Set(one.places.map(placeKey));
  const places = [...one.places, ...other.places.filter(place => !seen.has(placeKey(place)))];
  return { kind: one.kind, name: one.name, ...(details.length > 0 ? { detail: details.join('; ') } : {}), places };
}

function placeKey({ file, line }: ClaimPlace): string {
  return `${file}:${line ?? 0}`;
}
