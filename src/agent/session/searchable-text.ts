/** What of an entry can be searched, as it stands in its file. */
export interface SearchableText {
  /** Undefined in files of the first version. */
  readonly id: string | undefined;
  readonly role: 'user' | 'assistant' | 'tool' | 'hook' | 'summary' | 'label' | 'name';
  /** ISO 8601; may be empty. */
  readonly time: string;
  readonly text: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The words in one line of a session file of any version: what people, models, tools and hooks said, labels and names.
 * Undefined for lines that say nothing, or are no entry. Needs no schema: whatever is not as expected is left out.
 */
export function searchableText(line: string): SearchableText | undefined {
  const entry = parsed(line);
  if (entry === undefined) return undefined;
  const said = saidIn(entry);
  if (said === undefined || said.text.trim() === '') return undefined;
  return { id: textIn(entry, 'id'), time: textIn(entry, 'timestamp') ?? '', ...said };
}

function saidIn(entry: Fields): Pick<SearchableText, 'role' | 'text'> | undefined {
  switch (entry['type']) {
    case 'message':
      return isFields(entry['message']) ? saidBy(entry['message']) : undefined;
    case 'custom_message':
      return { role: 'hook', text: contentText(entry['content']) };
    case 'compaction':
    case 'branch_summary':
      return { role: 'summary', text: textIn(entry, 'summary') ?? '' };
    case 'label':
      return { role: 'label', text: textIn(entry, 'label') ?? '' };
    case 'session_info':
      return { role: 'name', text: textIn(entry, 'name') ?? '' };
    default:
      return undefined;
  }
}

function saidBy(message: Fields): Pick<SearchableText, 'role' | 'text'> | undefined {
  const text = contentText(message['content']);
  switch (message['role']) {
    case 'user':
    case 'assistant':
      return { role: message['role'], text };
    case 'toolResult':
      return { role: 'tool', text };
    case 'bashExecution':
      return { role: 'tool', text: [textIn(message, 'command'), textIn(message, 'output')].join('\n') };
    case 'custom':
    case 'hookMessage':
      return { role: 'hook', text };
    default:
      return undefined;
  }
}

/** Texts, thoughts, and what tools were called with. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      if (!isFields(part)) return '';
      if (part['type'] === 'toolCall') return [textIn(part, 'name'), ...leaves(part['arguments'])].join(' ');
      return textIn(part, 'text') ?? textIn(part, 'thinking') ?? '';
    })
    .filter(text => text !== '')
    .join('\n');
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [];
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

function parsed(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined; // A torn or foreign line holds nothing that could be opened.
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
