import { render } from 'lit';
import type { ChatItem } from '../../../src/protocol/items/chat-item';
import '../../../webview/chat/chat.css';
import { defineElements } from '../../../webview/chat/custom-elements';
import { itemView } from '../../../webview/cards/item';
import { Disclosure, type ItemContext } from '../../../webview/cards/item-context';
import { KeyPresses } from '../../../webview/cards/key-presses';
import { Transcript } from '../../../webview/transcript/transcript';

/** How the items of a long conversation get into the page. */
export type Way = 'near' | 'content-visibility' | 'all';

/** What one way cost; times in ms. */
export interface LongListFigures {
  readonly drawn: number;
  /** The longest of the jumps through the conversation, each until the browser has drawn it. */
  readonly jump: number;
  /** One more word at the end of the last answer, until it is drawn: what a person waits for who types meanwhile. */
  readonly word: number;
  readonly elements: number;
}

interface List {
  /** Brings the list in line with items, of which only the last may be another than before. */
  show(items: readonly ChatItem[]): void;
  moved(): void;
}

const WORDS = 'the agent reads `a file`, changes **a line** of it and runs the tests once more. ';
const CODE = '\n\n```ts\nexport function twice(value: number): number {\n  return 2 * value;\n}\n```\n\n';
const JUMPS = 12;
const ADDED = 20;

function conversation(count: number): ChatItem[] {
  return Array.from({ length: count }, (_, at): ChatItem => {
    const id = `m${at}`;
    if (at % 3 === 0) return { kind: 'user', id, text: `Question ${at}`, images: [], state: 'sent' };
    if (at % 3 === 1) return answer(id, WORDS.repeat(1 + (at % 8)) + (at % 4 === 0 ? CODE : ''));
    const card = { summary: 'npm test', args: '{}', output: WORDS.repeat(4), images: [], verdicts: [] };
    return {
      kind: 'tool',
      id,
      toolCallId: id,
      name: 'bash',
      icon: 'terminal',
      summaryKind: 'command',
      ...card,
      state: { type: 'done', durationMs: 20 },
    };
  });
}

function answer(id: string, text: string): ChatItem {
  return { kind: 'assistant', id, blocks: [{ type: 'text', text }], model: 'Model', state: 'done' };
}

/** Resolves when what is in the page now is on the screen. */
function painted(): Promise<void> {
  return new Promise(resolve => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        resolve();
      };
      port2.postMessage(0); // After this frame.
    });
  });
}

async function timed(work: () => void): Promise<number> {
  const start = performance.now();
  work();
  await painted();
  return performance.now() - start;
}

function nearList(scroller: HTMLElement, list: HTMLElement): List {
  const transcript = new Transcript(scroller, list, () => undefined);
  return {
    show(items) {
      transcript.update(items);
      scroller.scrollTop = scroller.scrollHeight;
      transcript.settle();
      scroller.scrollTop = scroller.scrollHeight;
    },
    moved: () => {
      transcript.settle();
    },
  };
}

function wholeList(scroller: HTMLElement, list: HTMLElement, skips: boolean): List {
  const context: ItemContext = {
    disclosure: new Disclosure(),
    thinkingLabel: undefined,
    answers: new Set(),
    presses: new KeyPresses(window),
    typed: new Map(),
    tabs: new Map(),
    refresh: () => undefined,
    answeredAbout: () => [],
  };
  let shown: readonly ChatItem[] = [];
  return {
    show(items) {
      items.forEach((item, at) => {
        if (shown[at] === item) return;
        const element = (list.children[at] as HTMLElement | undefined) ?? document.createElement('article');
        if (skips) Object.assign(element.style, { contentVisibility: 'auto', containIntrinsicSize: 'auto 120px' });
        render(itemView(item, context, false), element);
        if (element.parentNode === null) list.append(element);
      });
      shown = items;
      scroller.scrollTop = scroller.scrollHeight;
    },
    moved: () => undefined,
  };
}

/** Draws a conversation of so many items in one way, moves through it, and lets its last answer grow. */
export async function measureLongList(way: Way, count: number): Promise<LongListFigures> {
  const scroller = document.createElement('div');
  const list = document.createElement('div');
  Object.assign(scroller.style, { height: '700px', overflow: 'auto' });
  scroller.append(list);
  document.body.replaceChildren(scroller);
  const made = way === 'near' ? nearList(scroller, list) : wholeList(scroller, list, way === 'content-visibility');
  let items: readonly ChatItem[] = [...conversation(count - 1), answer('last', 'Here it comes')];
  await painted();
  const drawn = await timed(() => {
    made.show(items);
  });
  let word = 0;
  for (let added = 0; added < ADDED; added++) {
    items = [...items.slice(0, -1), answer('last', `Here it comes${' word'.repeat(added + 1)}`)];
    word +=
      (await timed(() => {
        made.show(items);
      })) / ADDED;
  }
  const elements = document.querySelectorAll('*').length;
  let jump = 0;
  for (let step = 0; step < JUMPS; step++) {
    const took = await timed(() => {
      scroller.scrollTop = (scroller.scrollHeight * ((step * 5) % JUMPS)) / JUMPS;
      made.moved();
    });
    jump = Math.max(jump, took);
  }
  return { drawn, jump, word, elements };
}

defineElements(customElements);
Object.assign(window, { measureLongList });
