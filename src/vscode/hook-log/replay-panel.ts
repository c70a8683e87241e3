import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../base/disposable';
import { messageOf } from '../../base/errors';
import { readReplayToHost, type HostToReplay, type ReplayView } from '../../protocol/pages/replay';
import { REPLAY_PANEL } from '../ids';
import { PagePanel, type OpenPage } from '../pages/page-panel';
import type { PageSurroundings, Receive } from '../pages/serve-page';
import { showFailure } from '../show-failure';
import { showFile } from '../show-file';

/** A replay that the panel can start repeatedly. Rejects when hooks cannot be loaded. */
export type ReplayJob = (progress: {
  readonly onProgress: (done: number, all: number) => void;
  readonly signal: AbortSignal;
}) => Promise<ReplayView>;

/** Shows the result of a replay in an editor tab. There is at most one. */
export class ReplayPanel implements Disposable {
  private readonly panel: PagePanel<HostToReplay>;
  private job: ReplayJob | undefined;
  private stop: AbortController | undefined;
  /** Sends to the page; undefined while no page is ready. */
  private tell: ((message: HostToReplay) => void) | undefined;
  /** The last message, which a new page gets when it is ready. */
  private last: HostToReplay | undefined;

  constructor(parts: PageSurroundings) {
    this.panel = new PagePanel({
      ...parts,
      viewType: REPLAY_PANEL,
      title: vscode.l10n.t('Hook Replay'),
      bundle: 'replay',
      failure: vscode.l10n.t('The replay could not be shown.'),
      comesBack: false,
      connect: page => Promise.resolve(this.connect(page)),
    });
  }

  /** Stops the running job, starts this one, shows its progress in place of an earlier result of another job, and resolves with its result. */
  async run(job: ReplayJob): Promise<ReplayView> {
    const again = this.job === job;
    this.job = job;
    this.stop?.abort();
    const stop = new AbortController();
    this.stop = stop;
    this.panel.show();
    const post = (message: HostToReplay): void => {
      if (!stop.signal.aborted) this.post(message);
    };
    post({ type: 'begun', again });
    try {
      const report = await job({
        signal: stop.signal,
        onProgress: (done, all) => post({ type: 'progress', done, all }),
      });
      post({ type: 'report', report });
      return report;
    } catch (error) {
      post({ type: 'failed', message: messageOf(error) });
      throw error;
    }
  }

  dispose(): void {
    this.stop?.abort();
    this.panel.dispose();
  }

  private post(message: HostToReplay): void {
    this.last = message;
    this.tell?.(message);
  }

  private connect({ owned, post }: OpenPage<HostToReplay>): Receive {
    owned.add(
      toDisposable(() => {
        this.tell = undefined;
        this.stop?.abort();
      }),
    );
    return message => this.handle(message, post);
  }

  private handle(value: unknown, post: (message: HostToReplay) => void): void {
    const message = readReplayToHost(value);
    switch (message?.type) {
      case 'ready':
        this.tell = post;
        if (this.last !== undefined) post(this.last);
        break;
      case 'openFile':
        showFile(message.path, message, { viewColumn: vscode.ViewColumn.Beside }).catch(showFailure);
        break;
      case 'again':
        if (this.job !== undefined) this.run(this.job).catch(showFailure);
        break;
      case undefined:
        break; // The message is not valid.
    }
  }
}
