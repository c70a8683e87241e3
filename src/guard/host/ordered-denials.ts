import type { Disposable } from '../../base/disposable';
import { isWithin } from '../../base/files/is-within';
import { realPathIfThere } from '../../base/files/on-disk';
import type { Front, Fronts } from './fronts';

/** Denials that `guard check` orders for a folder. Each holds until its connection ends. */
export class OrderedDenials implements Disposable {
  private readonly orders = new Map<Front, { readonly folder: string; readonly reason: string }>();
  private readonly listening: Disposable;

  constructor(fronts: Fronts) {
    this.listening = fronts.onDidReceive(({ front, message }) => {
      if (message.type !== 'fire') return;
      this.orders.set(front, { folder: realPathIfThere(message.folder), reason: message.reason });
      front.ended.addEventListener('abort', () => this.orders.delete(front), { once: true });
      front.send({ type: 'firing', id: message.id });
    });
  }

  /** Why the calls of tools in a session of this folder, a real path, are denied; undefined when nobody ordered it. */
  reasonFor(folder: string): string | undefined {
    return [...this.orders.values()].find(order => isWithin(folder, order.folder))?.reason;
  }

  dispose(): void {
    this.listening.dispose();
  }
}
