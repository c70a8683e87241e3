import type { MessagePort } from 'node:worker_threads';
import type { PackagePlaces } from '../../packages/package-source';

/** What the helper thread is started with. */
export interface HelperData {
  /** Present if it is to look at packages first: the arguments of `lookEarly`, and where it sends the looks. */
  readonly looks?: {
    readonly sources: readonly string[];
    readonly places: PackagePlaces;
    readonly port: MessagePort;
  };
}
