/** Distance in px from the end that counts as being there. */
const AT_END = 24;

/** Keeps the end of a growing list in view until the user scrolls up, and again once they are back at the end. */
export class TailFollower {
  private isFollowing = true;
  private lastTop = 0;
  private readonly sizes = new ResizeObserver(() => {
    if (this.distance <= AT_END) this.isFollowing = true;
    this.stick();
  });

  /** `scrolled` is called after each scroll, whoever caused it. */
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

  /** Pixels between what is visible and the end. */
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

  /** Stays where the list is now: after the user unfolded something, or a place was restored. */
  release(): void {
    this.isFollowing = false;
    this.lastTop = this.scroller.scrollTop;
  }

  /** Goes to the end if it is followed; once per frame, after all changes. */
  stick(): void {
    if (!this.isFollowing) return;
    // Before the first item there is no end to follow: what is there instead is read from its beginning.
    this.scroller.scrollTop = this.content.childElementCount === 0 ? 0 : this.scroller.scrollHeight;
    this.lastTop = this.scroller.scrollTop;
  }

  /** Only a move upwards means that the user wants to stay: content that grows moves the end away without one. */
  private judge(): void {
    const { scrollTop } = this.scroller;
    if (this.distance <= AT_END) this.isFollowing = true;
    else if (scrollTop < this.lastTop - 1) this.isFollowing = false;
    this.lastTop = scrollTop;
  }
}
