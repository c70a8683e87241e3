import {
  flag,
  list,
  messageReader,
  nullable,
  number,
  oneOf,
  optional,
  record,
  shape,
  text,
  type Check,
} from './checks';
import type { HostToWebview, WebviewToHost } from './messages';

const image = shape({ mimeType: text, data: text });
const file = shape({ name: text, text });
const completion = shape({ kind: text, label: text, detail: text, insert: text });
const item = shape({ id: text, kind: oneOf('user', 'assistant', 'tool', 'notice', 'custom', 'bash', 'gate') });
const command = shape({ name: text, description: text, source: oneOf('built-in', 'hook', 'prompt', 'skill') });
const spent = { input: number, output: number, cacheRead: number, cacheWrite: number };
const usage = shape({
  ...spent,
  cost: shape({ ...spent, total: number }),
  answers: number,
  estimated: flag,
  partial: flag,
});
const status = shape({
  phase: shape({ type: text }),
  model: text,
  demo: flag,
  thinkingLevel: text,
  title: text,
  usage: optional(usage),
});

const edited = shape({ entry: text, was: text });
const scroll = shape({ id: text, offset: number });
const tab = shape({
  id: text,
  title: text,
  state: oneOf('idle', 'running', 'asking', 'unread', 'failed'),
  shown: flag,
});

const surface = shape({
  id: text,
  place: oneOf('panel', 'overlay', 'editor', 'header', 'above', 'below', 'footer'),
  hook: shape({ path: text, name: text }),
  takesKeys: flag,
  label: text,
  text: optional(list(text)),
});
const change: Check = value => Array.isArray(value) && value.length === 2 && number(value[0]) && text(value[1]);
const box = shape({ row: number, column: number, width: number, columns: number, rows: number });
const frame = shape({
  surface: text,
  sequence: number,
  height: number,
  columns: optional(number),
  changes: list(change),
  cursor: optional(shape({ row: number, column: number })),
  wantsReleases: flag,
  overlay: optional(box),
});

const changedFile = shape({
  path: text,
  shown: text,
  kind: oneOf('created', 'changed', 'deleted', 'back'),
  added: optional(number),
  removed: optional(number),
  tools: list(text),
  version: number,
  stuck: optional(text),
});
const changes = shape({
  files: list(changedFile),
  more: number,
  note: optional(text),
  undo: optional(list(text)),
});
const fileDiff = shape({ path: text, version: number, diff: text, isText: flag });

/** Checks a message that arrived in the page; undefined when it is not one of ours. */
export const readHostMessage = messageReader<HostToWebview>({
  snapshot: shape({
    revision: number,
    conversation: text,
    items: list(item),
    earlier: number,
    status,
    commands: list(command),
    draft: text,
    attachments: optional(list(image)),
    files: optional(list(file)),
    changes: optional(changes),
    editing: optional(edited),
    scroll: optional(scroll),
  }),
  earlier: shape({ revision: number, items: list(item), earlier: number }),
  item: shape({ revision: number, item }),
  remove: shape({ revision: number, id: text }),
  text: shape({ revision: number, id: text, block: number, blockType: oneOf('text', 'thinking'), append: text }),
  output: shape({ revision: number, id: text, append: text, reset: flag }),
  toolState: shape({ revision: number, id: text, state: shape({ type: text }) }),
  status: shape({ revision: number, status }),
  commands: shape({ revision: number, commands: list(command) }),
  composer: shape({
    revision: number,
    text,
    mode: oneOf('replace', 'insert'),
    images: optional(list(image)),
    files: optional(list(file)),
    editing: optional(nullable(edited)),
  }),
  conversations: shape({ conversations: list(tab) }),
  focusComposer: shape({ revision: number }),
  reveal: shape({ revision: number, id: text }),
  completions: shape({ id: number, items: list(completion), final: flag }),
  found: shape({ request: number, matches: list(shape({ id: text, part: text, count: number })) }),
  go: shape({ to: oneOf('nextMessage', 'previousMessage', 'find') }),
  changes: shape({ revision: number, changes }),
  fileDiff: shape({ revision: number, diff: fileDiff }),
  surfaces: shape({ surfaces: list(surface) }),
  frame: shape({ frame }),
  keys: shape({ shortcuts: list(text), listening: flag }),
  rawKeyDone: shape({ id: number, consumed: flag }),
});

/** More cells than any screen has would be a mistake, and costly. */
const cellCount: Check = value => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 2_000;
const color: Check = value => typeof value === 'string' && /^(#[0-9a-f]{6})?$/i.test(value);

/** Checks a message that arrived in the host; undefined when it is not one of ours. */
export const readPageMessage = messageReader<WebviewToHost>({
  ready: shape({}),
  focused: shape({ focused: flag }),
  earlier: shape({ through: optional(text) }),
  find: shape({ request: number, text, matchCase: flag }),
  submit: shape({
    text,
    delivery: oneOf('steer', 'followUp'),
    images: list(image),
    files: optional(list(file)),
    edits: optional(text),
    conversation: optional(text),
  }),
  stop: shape({}),
  draft: shape({ text, conversation: optional(text) }),
  attachments: shape({ images: list(image), files: optional(list(file)), conversation: optional(text) }),
  scrolled: shape({ conversation: text, scroll: optional(scroll) }),
  showConversation: shape({ id: text }),
  closeConversation: shape({ id: text }),
  newConversation: shape({}),
  editMessage: shape({ id: text }),
  cancelEdit: shape({}),
  newSession: shape({}),
  resumeSession: shape({}),
  pickModel: shape({}),
  showHooks: shape({}),
  setThinkingLevel: shape({ level: text }),
  notice: shape({ id: text }),
  answer: shape({ id: text, answer: nullable(text) }),
  openFile: shape({ path: text, line: optional(number), column: optional(number) }),
  openLink: shape({ href: text }),
  openText: shape({ text, language: text }),
  openDiagram: shape({ text }),
  applyCode: shape({ text, language: text, path: optional(text) }),
  insertAtCursor: shape({ text }),
  copy: shape({ text }),
  showDiff: shape({ id: text }),
  branchFrom: shape({ id: text }),
  deny: shape({ id: text, message: text }),
  runAgain: shape({ id: text }),
  revealFile: shape({ path: text }),
  openTerminal: shape({ command: text }),
  complete: shape({ id: number, what: oneOf('mention', 'arguments'), text }),
  endComplete: shape({}),
  dropped: shape({ uris: list(text) }),
  getStarted: shape({}),
  editQueued: shape({ id: text }),
  removeQueued: shape({ id: text }),
  deliverQueued: shape({ id: text, delivery: oneOf('steer', 'followUp') }),
  loadDiff: shape({ path: text }),
  openChange: shape({ path: text }),
  revertFile: shape({ path: text }),
  revertAll: shape({}),
  revertCall: shape({ id: text }),
  revertTo: shape({ id: text }),
  undoRevert: shape({}),
  key: shape({ surface: text, data: text }),
  ack: shape({ surface: text, sequence: number }),
  unfocused: shape({ surface: text }),
  closeSurface: shape({ surface: text }),
  cells: shape({ cells: shape({ columns: cellCount, rows: cellCount, cardColumns: cellCount }) }),
  theme: shape({ kind: oneOf('dark', 'light', 'hc-dark', 'hc-light'), colors: record(color) }),
  shortcut: shape({ key: text }),
  rawKey: shape({ id: number, data: text }),
  expandItem: shape({ id: text, expanded: flag }),
});
