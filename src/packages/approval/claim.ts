/**
 * The kinds of things that a package would do, as found in its text. `hidden`: code that the text does not show.
 * `piecedModule`: a module whose name is put together from pieces. `unsupported`: something that it uses and that does not exist here.
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
  'piecedModule',
  'unsupported',
] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** How a package hides what it does: the names of claims of the kind `hidden`. */
export const HIDDEN_NAMES = ['computedModule', 'codeFromText', 'computedEvent', 'outsideLink'] as const;
export type HiddenName = (typeof HIDDEN_NAMES)[number];

/** A line of a package's file. */
export interface ClaimPlace {
  /** Path from the package's folder, with `/`. */
  readonly file: string;
  /** 1-based; absent for a whole file. */
  readonly line?: number;
}

/** One thing that a package would do. `kind` and `name` together identify it. */
export type Claim = ClaimName & {
  /** More information from the text. */
  readonly detail?: string;
  readonly places: readonly ClaimPlace[];
};

/** What a claim is about. The name is written in the source, except for what the source hides. */
export type ClaimName =
  | { readonly kind: Exclude<ClaimKind, 'hidden'>; readonly name: string }
  | { readonly kind: 'hidden'; readonly name: HiddenName };

/** The claims that an update adds and removes. */
export interface ClaimChanges {
  readonly added: readonly Claim[];
  readonly removed: readonly Claim[];
}

/** Compares the claims of two versions of a package by kind and name; places and details do not count. */
export function claimChanges(before: readonly Claim[], after: readonly Claim[]): ClaimChanges {
  return { added: withoutThose(after, before), removed: withoutThose(before, after) };
}

function withoutThose(claims: readonly Claim[], others: readonly Claim[]): readonly Claim[] {
  const known = new Set(others.map(keyOf));
  return claims.filter(claim => !known.has(keyOf(claim)));
}

function keyOf({ kind, name }: ClaimName): string {
  return `${kind} ${name}`;
}

/** Joins claims of the same kind and name, with all their places; sorted by kind and then by name. */
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
  return { ...one, ...(details.length > 0 ? { detail: details.join('; ') } : {}), places };
}

function placeKey({ file, line }: ClaimPlace): string {
  return `${file}:${line ?? 0}`;
}
