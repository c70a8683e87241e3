import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Attention, Choosing } from '../../../src/vscode/questions/choosing';
import type { Arrival } from '../../../src/vscode/questions/prompt-rules';
import { QUIET_MS } from '../../../src/vscode/quiet';
import { FakeClock } from '../../support/fake-clock';

const ITEMS = ['Allow', 'Allow always', 'Deny'] as const;

/** A pick as VS Code shows it: it reports to the code under test what the user does, in the order of VS Code's events. */
class Pick {
  readonly clock = new FakeClock();
  readonly choosing: Choosing<string>;
  private value: string;
  private active: string | undefined;
  /** What was chosen; undefined: nothing yet. */
  answer: string | undefined;

  constructor(opened: Arrival, { typed = '', start }: { readonly typed?: string; readonly start?: string } = {}) {
    const named = (text: string): string | undefined => ITEMS.find(item => item.toLowerCase() === text);
    const typing = opened === 'byItself' ? 'nothing' : 'wholeAnswer';
    this.choosing = new Choosing<string>(typing, { start, named, typed }, opened, this.clock);
    this.value = typed;
    this.show();
  }

  /** The item that the user sees as active. */
  get shown(): string | undefined {
    return this.active;
  }

  /** Types a text after what is in the box. VS Code makes the first item active, and reports that before the text. */
  type(text: string): void {
    for (const key of text) this.change(this.value + key);
  }

  erase(): void {
    this.change('');
  }

  arrow(by: 1 | -1): void {
    const at = this.active === undefined ? (by > 0 ? -1 : 0) : ITEMS.indexOf(this.active as (typeof ITEMS)[number]);
    this.activate(ITEMS.at((at + by) % ITEMS.length));
  }

  /** Enter, which Hookline's own key binding takes. */
  enter(): void {
    this.answer ??= this.choosing.enter();
  }

  /** Enter by a key binding that Hookline does not know: VS Code takes the active item. */
  enterOfVsCode(): void {
    if (this.active !== undefined && this.choosing.taken(this.active)) this.answer ??= this.active;
  }

  /** A click makes the item active, and takes it directly after that. */
  click(item: string): void {
    if (item !== this.active) {
      this.active = item;
      this.choosing.activeChanged(item);
    }
    if (this.choosing.taken(item)) this.answer ??= item;
  }

  private change(value: string): void {
    this.value = value;
    this.active = ITEMS[0];
    if (this.choosing.activeChanged(this.active)) this.show();
    if (this.choosing.valueChanged(value)) this.show();
  }

  private activate(item: string | undefined): void {
    this.active = item;
    if (this.choosing.activeChanged(item)) this.show();
  }

  /** VS Code reports the change of the active item that the code under test made. */
  private show(): void {
    this.active = this.choosing.active;
    this.choosing.activeChanged(this.active);
  }
}

describe('a pick that opened by itself', () => {
  let pick: Pick;
  beforeEach(() => {
    pick = new Pick('byItself', { start: 'Deny' });
  });

  it('begins with no active item, so that Enter does nothing', () => {
    assert.equal(pick.shown, undefined);
    pick.clock.pass(QUIET_MS * 5);
    pick.enter();
    assert.equal(pick.answer, undefined);
  });

  it('takes no item that is typed in full, and shows none as active', () => {
    pick.clock.pass(QUIET_MS * 5);
    for (const text of ['allow', 'a', 'y']) {
      pick.type(text);
      assert.equal(pick.shown, undefined);
      pick.enter();
      pick.enterOfVsCode();
      pick.erase();
      pick.clock.pass(QUIET_MS - 1);
    }
    assert.equal(pick.answer, undefined);
    assert.equal(pick.choosing.isSeen, false);
  });

  for (const by of [1, -1] as const) {
    it(`takes what an arrow key ${by > 0 ? 'down' : 'up'} chose two seconds after it opened`, () => {
      pick.clock.pass(QUIET_MS);
      pick.arrow(by);
      assert.equal(pick.choosing.isSeen, true);
      const shown = pick.shown;
      assert.notEqual(shown, undefined);
      pick.enter();
      assert.equal(pick.answer, shown);
    });
  }

  it('does not take what an arrow key chose earlier, and does not show it as active', () => {
    pick.clock.pass(QUIET_MS - 1);
    pick.arrow(1);
    assert.equal(pick.shown, undefined);
    pick.enter();
    assert.equal(pick.answer, undefined);
  });

  it('is not answered by Up and Enter again and again', () => {
    for (let times = 0; times < 50; times++) {
      pick.clock.pass(400);
      pick.arrow(-1);
      pick.clock.pass(400);
      pick.enter();
    }
    assert.equal(pick.answer, undefined);
  });

  it('takes arrow keys again two seconds after the last key, once the box is empty', () => {
    pick.type('ls');
    pick.enter();
    pick.clock.pass(QUIET_MS * 3);
    pick.arrow(1);
    pick.enter();
    assert.equal(pick.answer, undefined, 'there is text in the box');
    pick.erase();
    pick.clock.pass(QUIET_MS - 1);
    pick.arrow(1);
    pick.enter();
    assert.equal(pick.answer, undefined, 'the last key was a moment ago');
    pick.clock.pass(QUIET_MS);
    pick.arrow(1);
    pick.enter();
    assert.equal(pick.answer, 'Allow');
  });

  it('forgets what arrow keys chose when something is typed', () => {
    pick.clock.pass(QUIET_MS);
    pick.arrow(1);
    pick.type('x');
    assert.equal(pick.choosing.isSeen, false);
    assert.equal(pick.shown, undefined);
    pick.enter();
    assert.equal(pick.answer, undefined);
  });

  it('does not count the item that VS Code makes active for the first letter after a pause', () => {
    pick.clock.pass(QUIET_MS * 2);
    pick.type('a');
    pick.enter();
    pick.enterOfVsCode();
    assert.equal(pick.answer, undefined);
  });

  it('takes a click at any time, with text in the box as well', () => {
    pick.click('Allow always');
    assert.equal(pick.answer, 'Allow always');
    const other = new Pick('byItself');
    other.type('word5');
    other.click('Deny');
    assert.equal(other.answer, 'Deny');
  });

  it('takes no active item by a key that Hookline does not handle', () => {
    pick.arrow(1);
    pick.enterOfVsCode();
    pick.type('allow');
    pick.enterOfVsCode();
    assert.equal(pick.answer, undefined);
  });

  it('is never answered by someone who does not pause for two seconds, whatever they press', () => {
    const key = fc.oneof(
      fc.constant('Enter'),
      fc.constantFrom('Up', 'Down'),
      fc.constant('Erase'),
      fc.constantFrom('a', 'allow', 'deny', 'no', 'x', ' '),
    );
    const press = fc.tuple(key, fc.integer({ min: 0, max: QUIET_MS - 1 }));
    fc.assert(
      fc.property(fc.array(press, { maxLength: 60 }), presses => {
        const typed = new Pick('byItself', { start: 'Deny' });
        for (const [pressed, ms] of presses) {
          typed.clock.pass(ms);
          if (pressed === 'Enter') {
            typed.enter();
            typed.enterOfVsCode();
          } else if (pressed === 'Up' || pressed === 'Down') typed.arrow(pressed === 'Up' ? -1 : 1);
          else if (pressed === 'Erase') typed.erase();
          else typed.type(pressed);
        }
        assert.equal(typed.answer, undefined);
      }),
    );
  });
});

describe('a pick that the user expects', () => {
  it('begins on the item that allows nothing, and Enter takes it', () => {
    const pick = new Pick('expected', { start: 'Deny' });
    assert.equal(pick.shown, 'Deny');
    pick.enter();
    assert.equal(pick.answer, 'Deny');
  });

  it('begins on no item where none is safe, and Enter does nothing', () => {
    const pick = new Pick('expected');
    assert.equal(pick.shown, undefined);
    pick.enter();
    assert.equal(pick.answer, undefined);
  });

  it('takes what arrow keys chose at once', () => {
    const pick = new Pick('expected', { start: 'Deny' });
    pick.arrow(1);
    pick.enter();
    assert.equal(pick.answer, 'Allow');
  });

  it('takes an answer that is typed in full and shows it, and none that is only begun', () => {
    const pick = new Pick('expected', { start: 'Deny' });
    pick.type('allo');
    assert.equal(pick.shown, undefined);
    pick.enter();
    pick.enterOfVsCode();
    assert.equal(pick.answer, undefined);
    pick.type('w');
    assert.equal(pick.shown, 'Allow');
    pick.enter();
    assert.equal(pick.answer, 'Allow');
  });

  it('takes nothing when more is typed after an answer', () => {
    const pick = new Pick('expected', { start: 'Deny' });
    pick.type('allowed');
    assert.equal(pick.shown, undefined);
    pick.enter();
    assert.equal(pick.answer, undefined);
  });

  it('takes what arrow keys chose after a text was typed', () => {
    const pick = new Pick('expected', { start: 'Deny' });
    pick.type('allow');
    pick.arrow(1);
    pick.enter();
    assert.equal(pick.answer, 'Allow always');
  });

  it('does not take an answer that was typed in an earlier pick, until the user changes it here', () => {
    const pick = new Pick('expected', { typed: 'allow' });
    assert.equal(pick.choosing.valueChanged('allow'), false, 'VS Code reports the text that it shows');
    pick.enter();
    assert.equal(pick.answer, undefined);
    pick.erase();
    pick.type('allow');
    pick.enter();
    assert.equal(pick.answer, 'Allow');
  });

  it('does not take the late report of an item that was shown because it was typed', () => {
    const { choosing } = new Pick('expected');
    choosing.activeChanged('Allow');
    choosing.valueChanged('allow');
    assert.equal(choosing.active, 'Allow');
    choosing.activeChanged('Allow');
    choosing.valueChanged('allowx');
    choosing.activeChanged('Allow'); // The report of the change that was made for "allow".
    assert.equal(choosing.enter(), undefined);
  });
});

describe('attention', () => {
  const attention = (opened: Arrival): { readonly clock: FakeClock; readonly of: Attention } => {
    const clock = new FakeClock();
    return { clock, of: new Attention(opened, clock) };
  };

  it('is given from the start where the user expects the prompt', () =>
    assert.equal(attention('expected').of.given, true));

  it('is given by a key in the empty box two seconds after it opened and after the last key', () => {
    const { clock, of } = attention('byItself');
    clock.pass(QUIET_MS - 1);
    of.noteKey(true);
    assert.equal(of.given, false);
    clock.pass(QUIET_MS);
    of.noteKey(false);
    assert.equal(of.given, false);
    clock.pass(QUIET_MS);
    of.noteKey(true);
    assert.equal(of.given, true);
    of.noteKey(false);
    assert.equal(of.given, true, 'what follows belongs to it');
  });
});
