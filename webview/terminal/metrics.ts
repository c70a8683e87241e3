/** The size of one cell of the page's terminal font, CSS px. */
export interface CellSize {
  readonly width: number;
  readonly height: number;
}

const PROBE = 20;
/** A glyph may differ from the width of its cell by this part of a cell without a visible effect. */
const TOLERANCE = 0.01;

/** Measures the terminal font with a hidden element. Call `measure` again when the font may have changed. */
export class FontMetrics {
  private readonly probe = document.createElement('span');
  private readonly known = new Map<string, boolean>();
  private size: CellSize = { width: 0, height: 0 };
  private brush: CanvasRenderingContext2D | undefined;

  /** `host` is any element of the page. The hidden probe element is added to it. */
  constructor(host: HTMLElement) {
    this.probe.className = 'term term-probe';
    this.probe.setAttribute('aria-hidden', 'true');
    this.probe.textContent = 'W'.repeat(PROBE);
    host.append(this.probe);
  }

  /** Reads the size again; true when it has changed. */
  measure(): boolean {
    const { width, height } = this.probe.getBoundingClientRect();
    const size = { width: width / PROBE, height: Math.ceil(height) };
    if (size.width === this.size.width && size.height === this.size.height) return false;
    this.size = size;
    this.known.clear();
    this.brush = undefined;
    return true;
  }

  get cell(): CellSize {
    return this.size;
  }

  /** The probe element. Its size changes when the font changes, so a ResizeObserver can watch the font. */
  get element(): Element {
    return this.probe;
  }

  /** Whether the font draws a character exactly one cell wide. */
  readonly fits = (grapheme: string): boolean => {
    const known = this.known.get(grapheme);
    if (known !== undefined) return known;
    const brush = this.context();
    const fits = brush !== undefined && Math.abs(brush.measureText(grapheme).width / this.size.width - 1) < TOLERANCE;
    this.known.set(grapheme, fits);
    return fits;
  };

  private context(): CanvasRenderingContext2D | undefined {
    if (this.brush === undefined && this.size.width > 0) {
      const style = getComputedStyle(this.probe);
      this.brush = document.createElement('canvas').getContext('2d') ?? undefined;
      if (this.brush) this.brush.font = `${style.fontSize} ${style.fontFamily}`;
    }
    return this.brush;
  }
}
