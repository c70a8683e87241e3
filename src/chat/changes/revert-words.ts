import * as l10n from '@vscode/l10n';
import type { ChangeCoverage } from '../../agent/changes/tracker';
import { MOST_FILE_BYTES } from '../../agent/changes/file-state';
import type { Refusal } from '../../agent/changes/revert';

const MEGABYTES = MOST_FILE_BYTES / 1024 / 1024;

/** Why a file is not brought back, after its name. */
export function revertRefusalText(refusal: Refusal): string {
  switch (refusal.type) {
    case 'unsaved':
      return l10n.t('it has unsaved changes in an editor. Save or discard them first.');
    case 'changedMeanwhile':
      return l10n.t('it was changed just now. Try again.');
    case 'failed':
      return refusal.message;
    case 'notKept':
      return notKeptText(refusal.why);
    case 'inTheWay':
      return inTheWayText(refusal.why);
  }
}

function notKeptText(why: Extract<Refusal, { type: 'notKept' }>['why']): string {
  switch (why) {
    case 'tooLarge':
      return l10n.t('it was larger than {0} MB, so its earlier content was not kept.', MEGABYTES);
    case 'gone':
      return l10n.t('its earlier content is no longer kept.');
    case 'unreadable':
      return l10n.t('its earlier content could not be read.');
    case 'folder':
      return l10n.t('there was a folder in its place.');
    case 'special':
      return l10n.t('it was not a regular file.');
  }
}

function inTheWayText(why: Extract<Refusal, { type: 'inTheWay' }>['why']): string {
  switch (why) {
    case 'tooLarge':
      return l10n.t('it is now larger than {0} MB, and its current content could not be kept for an undo.', MEGABYTES);
    case 'unreadable':
      return l10n.t('it cannot be read, so its current content could not be kept for an undo.');
    case 'folder':
      return l10n.t('there is a folder in its place now.');
    case 'special':
      return l10n.t('it is not a regular file now.');
  }
}

/** What the list of files does not cover; undefined when there is nothing to say. */
export function coverageText(coverage: ChangeCoverage): string | undefined {
  switch (coverage.type) {
    case 'unknown':
      return undefined;
    case 'on': {
      const [first] = coverage.tooLarge;
      if (first === undefined) return undefined;
      const more = coverage.tooLarge.length - 1;
      return more === 0
        ? l10n.t('Not covered when commands change it, because it is larger than {0} MB: {1}.', MEGABYTES, first)
        : l10n.t(
            'Not covered when commands change them, because they are larger than {0} MB: {1} and {2} more.',
            MEGABYTES,
            first,
            more,
          );
    }
    case 'noRepository':
      return l10n.t('What commands change is listed in git repositories only; edits and writes are listed everywhere.');
    case 'off':
      return l10n.t('What commands change is not listed: {0}.', coverage.why);
  }
}
