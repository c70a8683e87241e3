/** The list counts as being at the end when it is at most this far from it, px. */
const AT_END = 24;

/** Keeps the end of a growing list visible until the user scrolls up, and again when the user returns to the end. */
export class TailFollower {
  private isFollowing = true;
  private lastTop = 0;
  private readonly sizes = new ResizeObserver(() => {
    if (this.distance <= AT_END) this.isFollowing = true;
    this.stick();
  });

  /** `scrolled` is called after each scroll, by the user or by the page. */
  constructor(
    private readonly scroller: HTMLElement,
    private readonly content: HTMLElement,
    scrolled: () => void,
  ) {
    scroller.addEventListener('scroll', () => {
      this.judge();
      scrolled();
    });
    this.sizes.observe(content);
    this.sizes.observe(scroller);
  }

  /** Distance between the visible part and the end, px. */
  get distance(): number {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight;
  }

  get following(): boolean {
    return this.isFollowing;
  }

  /** Goes to the end and stays there. */
  follow(): void {
    this.isFollowing = true;
    this.stick();
  }

  /** Stops following the end, for example after the user opened a folded part or a position was restored. */
  release(): void {
    this.isFollowing = false;
    this.lastTop = this.scroller.scrollTop;
  }

  /** Scrolls to the end if the end is followed. To be called once per frame, after all changes. */
  stick(): void {
    if (!this.isFollowing) return;
    // Without items, the welcome text is shown from its beginning.
    this.scroller.scrollTop = this.content.childElementCount === 0 ? 0 : this.scroller.scrollHeight;
    this.lastTop = this.scroller.scrollTop;
  }

  /** Only scrolling up ends the following: content that grows also increases the distance from the end. */
  private judge(): void {
    const { scrollTop } = this.scroller;
    if (this.distance <= AT_END) this.isFollowing = true;
    else if (scrollTop < this.lastTop - 1) this.isFollowing = false;
    this.lastTop = scrollTop;
  }
}
