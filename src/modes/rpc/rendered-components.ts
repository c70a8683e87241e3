import { randomUUID } from 'node:crypto';
import type { ScreenSize } from '../../components/host-terminal';
import { MountedComponent } from '../../components/mounted-component';
import type { CustomHandle, CustomMount, DialogOrigin, NoticeLevel, WidgetPlacement } from '../../hook-contract/ui/ui';
import { messageOf } from '../../base/errors';
import type { ComponentFrame, ComponentPlace } from '../../protocol/items/hook-component';

type Rest = Pick<ComponentFrame, 'columns' | 'cursor' | 'overlay' | 'wantsReleases'>;

/** Sends a component of a hook: always all of its lines; undefined when the component was closed. */
type Tell = (lines: readonly string[] | undefined, rest: Rest) => void;

export interface RenderedParts {
  /** Sends an `extension_ui_request` with this id. */
  readonly request: (id: string, request: { readonly method: string } & Readonly<Record<string, unknown>>) => void;
  readonly notify: (message: string, level: NoticeLevel) => void;
  readonly setTitle: (title: string) => void;
  /** See `ConversationPorts.whenDrained`: a component is drawn again only after its last lines were read. */
  readonly whenDrained: () => Promise<void> | undefined;
}

const NO_REST: Rest = { wantsReleases: false };
const MOST_CELLS = 2000;

/**
 * The components of hooks (`ctx.ui.custom` and widgets) as lines of text with escape sequences, for a host application
 * that draws them and sends keys back (docs/cli.md, `--rpc-rendered`).
 */
export class RenderedComponents {
  private readonly customs = new Map<string, MountedComponent>();
  private readonly widgets = new Map<string, MountedComponent>();
  private size: ScreenSize = { columns: 80, rows: 40 };

  constructor(private readonly parts: RenderedParts) {}

  /** Mounts a component until the hook or the host application closes it. */
  custom(mount: CustomMount, origin: DialogOrigin): CustomHandle {
    const id = randomUUID();
    const tell: Tell = (lines, { columns = this.size.columns, cursor, overlay, wantsReleases }) =>
      this.parts.request(
        id,
        lines === undefined
          ? { method: 'custom' }
          : { method: 'custom', lines, columns, cursor, overlay, wantsReleases },
      );
    const one = this.open(mount, mount.overlay ? 'overlay' : 'panel', origin, tell, () => this.customs.delete(id));
    this.customs.set(id, one);
    return one;
  }

  /** Shows a component as the widget with this key; undefined removes the widget. */
  setWidget(key: string, mount: CustomMount | undefined, placement: WidgetPlacement, origin: DialogOrigin): void {
    this.widgets.get(key)?.close();
    if (mount === undefined) return;
    const place = placement === 'belowEditor' ? 'below' : 'above';
    const tell: Tell = widgetLines =>
      this.parts.request(randomUUID(), {
        method: 'setWidget',
        widgetKey: key,
        widgetLines,
        widgetPlacement: placement,
      });
    const one = this.open(mount, place, origin, tell, () => {
      if (this.widgets.get(key) === one) this.widgets.delete(key);
    });
    this.widgets.set(key, one);
  }

  /**
   * Handles a response of the host application for a component: keys, the screen size, or its end. Others are ignored.
   */
  receive(response: Readonly<Record<string, unknown>>): void {
    const { id, data, cancelled, columns, rows } = response;
    const one = typeof id === 'string' ? this.customs.get(id) : undefined;
    if (one === undefined) return;
    if (cancelled === true) one.close();
    else if (typeof data === 'string') one.input(data);
    else if (isCount(columns) && isCount(rows)) this.resize({ columns, rows });
  }

  private resize(size: ScreenSize): void {
    this.size = size;
    for (const one of [...this.customs.values(), ...this.widgets.values()]) one.resize();
  }

  private open(
    mount: CustomMount,
    place: ComponentPlace,
    origin: DialogOrigin,
    tell: Tell,
    gone: () => void,
  ): MountedComponent {
    const { notify, setTitle, whenDrained } = this.parts;
    let lines: readonly string[] = [];
    let isTold = false;
    let isShown = false;
    const one: MountedComponent = new MountedComponent({
      id: origin.event,
      place,
      mount,
      origin,
      size: () => this.size,
      isWatched: () => isShown,
      send: ({ changes, height, sequence, ...rest }) => {
        const next = [...lines.slice(0, height)];
        for (const [row, line] of changes) next[row] = line;
        lines = next;
        isTold = true;
        tell(lines, rest);
        const taken = whenDrained() ?? Promise.resolve();
        void taken.then(() => one.acknowledge(sequence));
      },
      changed: () => {
        const wasShown = isShown;
        isShown = one.description !== undefined;
        if (isShown && !wasShown) one.restart();
        if (!isShown && isTold) tell((lines = []), NO_REST);
      },
      gone: () => {
        gone();
        if (isTold) tell(undefined, NO_REST);
      },
      report: error => notify(messageOf(error), 'error'),
      setTitle,
    });
    return one;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_CELLS;
}
