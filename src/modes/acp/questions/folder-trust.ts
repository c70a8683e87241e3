import * as l10n from '@vscode/l10n';
import { messageOf } from '../../../base/errors';
import { visibleText } from '../../../base/text/visible-text';
import type { ProjectTrust } from '../../../startup/trust/project-trust';
import { saveTrust, type TrustPlace } from '../../start/save-trust';
import { notTrusted } from '../../start/trust-text';
import type { AcpQuestionsParts } from './acp-questions';
import { offersForms, requestForm } from './elicitation';

export interface FolderTrustParts {
  readonly place: TrustPlace;
  readonly trust: Pick<ProjectTrust, 'current' | 'protectedParts'>;
  /** Decides about the trust again, and loads what it then allows, as `ProcessServices.loadHooks` does. */
  readonly reload: () => Promise<void>;
}

/** Asks whether a folder is trusted, for all sessions in it. Until someone said so, nothing of the folder is loaded. */
export class FolderTrust {
  private isAsked = false;

  constructor(private readonly parts: FolderTrustParts) {}

  /**
   * Asks in a client that shows forms, if nobody has decided about the folder and it has something to decide about: once for a
   * folder. Other users decide with `/trust`, which the warning about the folder names. Resolves when the question is over, for
   * which no session has to wait. Never rejects.
   */
  async ask({ client, say }: Pick<AcpQuestionsParts, 'client' | 'say'>, signal: AbortSignal): Promise<void> {
    const { current, protectedParts } = this.parts.trust;
    const isOpen = current.reason.by === 'nobody' && protectedParts.length > 0;
    if (this.isAsked || !isOpen || !offersForms(client)) return;
    this.isAsked = true;
    const yes = l10n.t('Trust this folder');
    const no = l10n.t('Not now');
    const message = l10n.t(
      'Do you trust {0}? Its own hooks and settings then run code on your computer: {1}',
      this.parts.place.cwd,
      protectedParts.join(', '),
    );
    try {
      const form = { message: visibleText(message), field: { title: l10n.t('Trust'), enum: [no, yes], default: no } };
      if ((await requestForm(client, form, signal)) !== yes || signal.aborted) return;
      say('info', await this.decide());
    } catch (error) {
      if (!signal.aborted) say('error', messageOf(error));
    }
  }

  /**
   * Saves that the folder is trusted, and loads what this allows; for `/trust`, only when the user sent it. Returns what to
   * tell them.
   * @throws {StartError} when an agent started this program
   * @throws an error that names the file when trust.json cannot be written, and as `reload`
   */
  async decide(): Promise<string> {
    const { place, trust, reload } = this.parts;
    const lines = await saveTrust(place, 'now');
    await reload();
    // A hook or the process above can still say no.
    return trust.current.trusted ? lines.join('\n') : `${lines[0] ?? ''}\nBut ${notTrusted(trust.current)}`;
  }
}
