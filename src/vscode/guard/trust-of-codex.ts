import type { Log } from '../../base/log';
import { messageOf } from '../../base/errors';
import type { Machine } from '../../guard/config/this-machine';
import { codexConfigFile, codexHooksFile } from '../../guard/config/codex/codex-files';
import { codexTrust, codexTrustRequest, trustInCodex } from '../../guard/config/codex/codex-trust';
import { configurationText } from '../../guard/config/formats/configuration-text';
import type { FoundAgent } from '../../guard/config/find-agents';
import type { GuardPlace } from '../../guard/protocol/place';

export interface TrustOfCodexParts {
  readonly place: GuardPlace;
  readonly machine: Machine;
  /** Where Codex is asked, absolute. */
  readonly cwd: string;
  readonly log: Log;
}

/** Whether Codex runs the entries of ours, which it skips until it trusts them. */
export class TrustOfCodex {
  /** The last answer, and the configuration that it was about: Codex takes a second to answer. */
  private known: { readonly about: string; readonly answer: boolean | undefined } | undefined;

  constructor(private readonly parts: TrustOfCodexParts) {}

  /** Undefined when its program was not found or does not say it. Never rejects. */
  async isGiven(codex: FoundAgent): Promise<boolean | undefined> {
    const about = await this.configuration();
    if (this.known?.about !== about) this.known = { about, answer: await this.ask(codex) };
    return this.known.answer;
  }

  /** Makes Codex trust exactly these entries, after the user said yes. Rejects when it does not do so then. */
  async give(codex: FoundAgent): Promise<void> {
    const request = codexTrustRequest(codex, this.parts);
    if (request !== undefined) await trustInCodex(request);
    this.known = undefined;
  }

  private async ask(codex: FoundAgent): Promise<boolean | undefined> {
    const request = codexTrustRequest(codex, this.parts);
    try {
      return request && (await codexTrust(request)) === 'trusted';
    } catch (error) {
      this.parts.log.warn(`Codex does not say whether it trusts its guard: ${messageOf(error)}`);
      return undefined;
    }
  }

  private async configuration(): Promise<string> {
    const { machine } = this.parts;
    const files = [codexHooksFile(machine).file, codexConfigFile(machine)];
    const texts = await Promise.all(files.map(file => configurationText(file).catch(() => undefined)));
    return JSON.stringify(texts);
  }
}
