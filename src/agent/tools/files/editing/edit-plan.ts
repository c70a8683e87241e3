import type { Replacement } from './diff';
import { prepareEditArguments, type TextEdit } from './edit-arguments';
import { findEdit, lineEndAt, toLf } from './edit-match';

/** The edits of one call; `path` as the call has it. */
export interface EditRequest {
  readonly path: string;
  readonly edits: readonly TextEdit[];
}

/**
 * Reads the arguments of a call, also those of the older form. Throws when there is no edit, and when one looks for nothing.
 * The texts of errors here are those of today's pi.
 */
export function editRequest(params: Partial<EditRequest> & Pick<EditRequest, 'path'>): EditRequest {
  const { path, edits } = params.edits === undefined ? (prepareEditArguments(params) as typeof params) : params;
  if (edits === undefined || edits.length === 0) {
    throw new Error('Edit tool input is invalid. edits must contain at least one replacement.');
  }
  refuseEmpty(edits, path);
  return { path, edits };
}

function refuseEmpty(edits: readonly TextEdit[], path: string): void {
  const index = edits.findIndex(({ oldText }) => oldText === '');
  if (index === -1) return;
  throw new Error(`${edits.length > 1 ? `edits[${index}].` : ''}oldText must not be empty in ${path}.`);
}

/**
 * What to put in place of which parts of a text, in order. Each edit is looked for in the text as it is; throws when
 * one has no such part or more than one, when two overlap, and when nothing would change.
 */
export function planEdits(text: string, edits: readonly TextEdit[], path: string): Replacement[] {
  const several = edits.length > 1;
  const places = edits.map(({ oldText, newText }, index) => {
    const { start, end } = placeOf(text, oldText, { path, name: several ? `edits[${index}]` : undefined });
    const lineEnd = lineEndAt(text, start);
    const plain = toLf(newText);
    const inserted = lineEnd === '\n' ? plain : plain.replaceAll('\n', lineEnd);
    return { index, start, end, inserted, isChange: toLf(text.slice(start, end)) !== plain };
  });
  places.sort((a, b) => a.start - b.start);
  refuseOverlaps(places, path);
  if (places.some(({ isChange }) => isChange)) return places;
  throw new Error(
    several
      ? `No changes made to ${path}. The replacements produced identical content.`
      : `No changes made to ${path}. The replacement produced identical content. This might indicate an issue with ` +
          'special characters or the text not existing as expected.',
  );
}

function refuseOverlaps(
  places: readonly { readonly index: number; readonly start: number; readonly end: number }[],
  path: string,
): void {
  for (const [nth, place] of places.entries()) {
    const previous = places[nth - 1];
    if (previous === undefined || previous.end <= place.start) continue;
    throw new Error(
      `edits[${previous.index}] and edits[${place.index}] overlap in ${path}. ` +
        'Merge them into one edit or target disjoint regions.',
    );
  }
}

/** `name` stands for the edit where there are several. */
function placeOf(
  text: string,
  oldText: string,
  { path, name }: { readonly path: string; readonly name: string | undefined },
): { readonly start: number; readonly end: number } {
  const match = findEdit(text, oldText);
  if (match.kind === 'found') return match;
  if (match.kind === 'missing') {
    throw new Error(
      name === undefined
        ? `Could not find the exact text in ${path}. The old text must match exactly including all whitespace and newlines.`
        : `Could not find ${name} in ${path}. The oldText must match exactly including all whitespace and newlines.`,
    );
  }
  throw new Error(
    name === undefined
      ? `Found ${match.count} occurrences of the text in ${path}. The text must be unique. ` +
          'Please provide more context to make it unique.'
      : `Found ${match.count} occurrences of ${name} in ${path}. Each oldText must be unique. ` +
          'Please provide more context to make it unique.',
  );
}
