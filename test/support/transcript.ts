import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';

/** A value as it was when it was shown: a text, or members between two brackets. */
type Shown = string | Container;

interface Container {
  readonly open: string;
  readonly close: string;
  readonly members: readonly Member[];
  /** What it is named after. */
  readonly label: string;
}

interface Member {
  /** Empty for elements of a list. */
  readonly key: string;
  readonly value: Shown;
}

interface Block {
  readonly title: string;
  readonly members: readonly Member[];
}

/** A line is broken after so many characters. */
const WIDTH = 120;
/** Objects with a longer text that come again get a name, and are shown in full only once. */
const LONGEST_REPEATED = 70;
/** Lists with more elements get a name. They are shown as what they add to a list that was shown before. */
const MOST_REPEATED = 3;
/** Longer texts are shortened to their beginning, their length and a digest. */
const LONGEST_TEXT = 100;
const BEGINNING = 50;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z/g;
const HTTP_DATE = /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/;
const ENTRY_ID = /^[0-9a-f]{8}$/;

/**
 * What hooks got in one conversation, as a text that is the same in every run: ids are counted, and paths, times and ports are
 * replaced. Objects have all of their own members, sorted by name. An object that comes again is only named. The member `type`
 * of an event is left out if it is the name of the event, and what `ctx` says if it is the same as for the event before.
 */
export class Transcript {
  private readonly blocks: Block[] = [];
  private readonly ids = new Map<string, string>();
  private lastFacts: readonly Member[] = [];
  private readonly roots: readonly string[];

  /** @param root - the absolute path of the folder with everything that belongs to the conversation */
  constructor(root: string) {
    this.roots = [realpathSync(root), root];
  }

  /** Begins what follows from an act of the person. */
  step(title: string): void {
    this.blocks.push({ title: `== ${title} ==`, members: [] });
  }

  /** Adds what a handler got, as it is now. `facts`: what its `ctx` said. */
  event(name: string, event: object, facts: object): void {
    const given = Object.hasOwn(event, 'type') ? event : { ...event, type: undefined };
    const members = this.membersOf(given, 1).filter(({ key, value }) => key !== 'type' || value !== `"${name}"`);
    const all = this.membersOf(facts, 1);
    const news = all.filter(({ key, value }) => this.lastFacts.find(last => last.key === key)?.value !== value);
    this.lastFacts = all;
    const says = news.map(({ key, value }) => `${key} = ${inline(value)}`);
    this.blocks.push({ title: [name, ...(says.length === 0 ? [] : [`(ctx: ${says.join(', ')})`])].join(' '), members });
  }

  /** Adds something that happened beside the events, such as an error of a hook. */
  note(text: string): void {
    this.blocks.push({ title: this.stable(text), members: [] });
  }

  toString(): string {
    const counts = new Map<string, number>();
    const count = (value: Shown): void => {
      if (typeof value === 'string') return;
      const text = inline(value);
      counts.set(text, (counts.get(text) ?? 0) + 1);
      for (const member of value.members) count(member.value);
    };
    for (const { members } of this.blocks) for (const { value } of members) count(value);
    const writer = new Writer(text => (counts.get(text) ?? 0) > 1);
    return this.blocks
      .map(block => writer.block(block))
      .join('')
      .trimStart();
  }

  private shown(value: unknown, key: string, depth: number): Shown {
    if (typeof value === 'string') return this.quoted(value);
    if (typeof value === 'number') return isTime(value) ? '<time>' : key === 'durationMs' ? '<ms>' : String(value);
    if (typeof value === 'function') return '<function>';
    if (typeof value !== 'object' || value === null) return String(value);
    if (value instanceof AbortSignal) return value.aborted ? '<aborted signal>' : '<signal>';
    if (key === 'parameters') return '<schema>';
    if (depth > 12) return '<deeper>';
    if (value instanceof Set) return this.list('Set [', [...(value as Set<unknown>)], key, depth);
    if (Array.isArray(value)) return this.list('[', value, key, depth);
    const members = this.membersOf(value, depth + 1);
    if ('parameters' in value) return { open: '{', close: '}', label: key, members: withoutText(members) };
    return { open: `${classOf(value)}{`, close: '}', label: labelOf(members, key), members };
  }

  private list(open: string, elements: readonly unknown[], key: string, depth: number): Shown {
    const members = elements.map(element => ({ key: '', value: this.shown(element, key, depth + 1) }));
    return { open, close: ']', label: key, members };
  }

  private membersOf(value: object, depth: number): readonly Member[] {
    return Reflect.ownKeys(value)
      .map(String)
      .sort()
      .map(key => {
        const isHidden = Object.getOwnPropertyDescriptor(value, key)?.enumerable === false;
        return { key: isHidden ? `(hidden) ${key}` : key, value: this.shown(Reflect.get(value, key), key, depth) };
      });
  }

  private quoted(text: string): string {
    if (ENTRY_ID.test(text)) return this.named('e', text);
    const stable = this.stable(text);
    if (stable.length <= LONGEST_TEXT) return JSON.stringify(stable);
    const digest = createHash('sha256').update(stable).digest('hex').slice(0, 6);
    return `${JSON.stringify(stable.slice(0, BEGINNING))}… <${stable.length} characters, ${digest}>`;
  }

  private stable(text: string): string {
    const placed = this.roots.reduce((rest, root) => rest.replaceAll(root, '<root>'), text);
    const slashed = placed.includes('<root>') ? placed.replaceAll('\\', '/') : placed;
    return slashed
      .replace(TIME, '<time>')
      .replace(UUID, id => `<session ${this.named('', id)}>`)
      .replace(HTTP_DATE, '<date>')
      .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>');
  }

  /** The number of an id, in the order in which ids with this prefix appear. */
  private named(prefix: string, id: string): string {
    const known = this.ids.get(id);
    if (known !== undefined) return known;
    const count = [...this.ids.values()].filter(name => name.startsWith('e') === (prefix === 'e')).length;
    const name = `${prefix}${count + 1}`;
    this.ids.set(id, name);
    return name;
  }
}

interface ShownList {
  readonly name: string;
  readonly elements: readonly string[];
}

/** Writes blocks, and names each object that repeats. */
class Writer {
  private readonly names = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  private readonly lists: ShownList[] = [];

  constructor(private readonly repeats: (text: string) => boolean) {}

  block({ title, members }: Block): string {
    const lines = members.map(({ key, value }) => `  ${key}: ${this.value(value, 4, key.length + 4)}\n`);
    return title.startsWith('==') ? `\n${title}\n` : `${title}\n${lines.join('')}`;
  }

  /** `indent` is that of further lines, `column` that of the value. */
  private value(value: Shown, indent: number, column: number): string {
    if (typeof value === 'string') return value;
    const text = inline(value);
    const isList = value.open === '[';
    const isNamed = isList
      ? value.members.length > MOST_REPEATED
      : text.length > LONGEST_REPEATED && this.repeats(text);
    if (!isNamed) return this.content(value, indent, column);
    const known = this.names.get(text);
    if (known !== undefined) return known;
    const name = this.nameFor(value.label);
    this.names.set(text, name);
    const shown = isList ? this.added(value, name) : value;
    return `${name} = ${this.content(shown, indent, column + name.length + 3)}`;
  }

  private nameFor(label: string): string {
    const count = (this.counts.get(label) ?? 0) + 1;
    this.counts.set(label, count);
    return count === 1 && label.includes(' ') ? label : `${label} #${count}`;
  }

  /** The list as the longest of the lists before that it begins with, and what follows. */
  private added(list: Container, name: string): Container {
    const elements = list.members.map(({ value }) => inline(value));
    const base = this.lists
      .filter(before => before.elements.every((element, at) => element === elements[at]))
      .reduce<ShownList | undefined>((a, b) => (a && a.elements.length >= b.elements.length ? a : b), undefined);
    this.lists.push({ name, elements });
    if (base === undefined) return list;
    const rest = list.members.slice(base.elements.length);
    return { ...list, members: [{ key: '', value: `...${base.name}` }, ...rest] };
  }

  /** As many members on a line as there is room for; one that needs several lines has these alone. */
  private content({ open, close, members }: Container, indent: number, column: number): string {
    const parts = members.map(({ key, value: member }) => {
      const start = key === '' ? '' : `${key}: `;
      return start + this.value(member, indent + 2, indent + start.length);
    });
    const line = joined(open, close, parts);
    if (!line.includes('\n') && column + line.length <= WIDTH) return line;
    const pad = ' '.repeat(indent);
    const lines: string[] = [];
    for (const part of parts) {
      const last = lines.at(-1);
      const longer = `${last ?? pad}${part},`;
      if (last === undefined || longer.includes('\n') || longer.length > WIDTH) lines.push(`${pad}${part},`);
      else lines[lines.length - 1] = `${last} ${part},`;
    }
    return `${open}\n${lines.join('\n')}\n${pad.slice(2)}${close}`;
  }
}

function inline(value: Shown): string {
  if (typeof value === 'string') return value;
  const { open, close, members } = value;
  return joined(
    open,
    close,
    members.map(({ key, value: member }) => `${key === '' ? '' : `${key}: `}${inline(member)}`),
  );
}

function joined(open: string, close: string, parts: readonly string[]): string {
  if (parts.length === 0) return open + close;
  return open.endsWith('[') ? `${open}${parts.join(', ')}${close}` : `${open} ${parts.join(', ')} ${close}`;
}

/** By the role of a message, by the type and id of an entry, else by the member that holds the object. */
function labelOf(members: readonly Member[], key: string): string {
  const text = (name: string): string | undefined => {
    const value = members.find(member => member.key === name)?.value;
    return typeof value === 'string' ? value.replaceAll('"', '') : undefined;
  };
  const [role, type, id] = [text('role'), text('type'), text('id')];
  return role ?? (type !== undefined && id !== undefined ? `${type} ${id}` : key);
}

/** The members of a tool, whose description for the model is not held here. */
function withoutText(members: readonly Member[]): readonly Member[] {
  return members.map(({ key, value }) => ({ key, value: key === 'description' ? '<text>' : value }));
}

function classOf(value: object): string {
  const { name } = (value.constructor as { readonly name?: string } | undefined) ?? {};
  return name === undefined || name === 'Object' ? '' : `${name} `;
}

function isTime(value: number): boolean {
  return value > 1_600_000_000_000 && value < 4_000_000_000_000;
}
