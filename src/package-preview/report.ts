import * as l10n from '@vscode/l10n';
import type { Claim, ClaimChanges, ClaimKind, ClaimName, ClaimPlace, HiddenName } from '../packages/approval/claim';
import type { PackagePreview, UnreadFile } from './read/preview';
import { defined } from '../base/defined';

/** A line of a preview, in words for the user. */
export interface ReportLine {
  readonly text: string;
  /** A less important addition. */
  readonly note?: string;
  /** `warning`: the user should look at the line. `added`, `removed`: an update adds or removes it. */
  readonly tone?: 'warning' | 'added' | 'removed';
  readonly places: readonly ClaimPlace[];
}

export interface ReportSection {
  readonly title: string;
  /** Never empty. */
  readonly lines: readonly ReportLine[];
}

/** A preview in words, which both the page and the command line show. */
export interface PreviewReport {
  /** Name and version. */
  readonly title: string;
  readonly description?: string;
  /** License, author, size and the like. */
  readonly facts: readonly string[];
  readonly sections: readonly ReportSection[];
}

/** What a report says in addition to the preview. */
export interface ReportContext {
  /** Is shown when the package has no name. */
  readonly name: string;
  /** The version that was approved before, and what has changed since. */
  readonly update?: { readonly from: string | undefined; readonly changes: ClaimChanges };
}

/** Puts a preview into words. */
export function previewReport(preview: PackagePreview, { name, update }: ReportContext): PreviewReport {
  const { about, claims } = preview;
  const sections: readonly ReportSection[] = [
    ...(update === undefined ? [] : [updateSection(update)]),
    section(l10n.t('What it decides'), claims, ['gate'], l10n.t('It does not block tools or commands.')),
    section(
      l10n.t('Other events that it listens to'),
      claims,
      ['event'],
      l10n.t('It does not listen to other events.'),
    ),
    section(l10n.t('What it adds'), claims, ADDED, l10n.t('Nothing found in its code.')),
    section(l10n.t('What it does in the conversation'), claims, ['action']),
    section(l10n.t('What its code can access'), claims, REACHED, l10n.t('No Node modules, programs or hosts.')),
    section(l10n.t('What npm would run while installing'), claims, ['script'], l10n.t('No install scripts.')),
    section(l10n.t('What it contains'), claims, ['binary', 'dependency']),
    compatibilitySection(preview),
    unreadSection(preview),
  ].filter(({ lines }) => lines.length > 0);
  return {
    title: [about.name ?? name, about.version].filter(part => part !== undefined).join(' '),
    ...defined({ description: about.description }),
    facts: factsOf(preview),
    sections,
  };
}

const ADDED: readonly ClaimKind[] = [
  ...(['tool', 'command', 'shortcut', 'flag', 'provider', 'mcpServer', 'renderer'] as const),
  ...(['skill', 'prompt', 'theme'] as const),
];
const HIDDEN: readonly ClaimKind[] = ['hidden', 'piecedModule'];
const WORTH_A_LOOK: readonly ClaimKind[] = ['gate', 'script', 'binary', ...HIDDEN, 'unsupported'];
const REACHED: readonly ClaimKind[] = ['module', 'shellCommand', 'host', 'variable'];

function section(title: string, claims: readonly Claim[], kinds: readonly ClaimKind[], none?: string): ReportSection {
  const found = kinds.flatMap(kind => claims.filter(claim => claim.kind === kind));
  if (found.length > 0) return { title, lines: found.map(claim => claimLine(claim)) };
  return { title, lines: none === undefined ? [] : [{ text: none, places: [] }] };
}

function claimLine(claim: Claim, tone?: ReportLine['tone']): ReportLine {
  const { kind, name, detail, places } = claim;
  const shown = tone ?? (WORTH_A_LOOK.includes(kind) ? 'warning' : undefined);
  const note = kind === 'event' || kind === 'gate' ? powersText(kind, detail) : detail;
  return {
    text: claimText(claim),
    ...(note === undefined || note === '' || note === name ? {} : { note }),
    ...defined({ tone: shown }),
    places,
  };
}

function claimText(claim: ClaimName): string {
  const { kind, name } = claim;
  switch (kind) {
    case 'gate':
      return name === 'tool_call'
        ? l10n.t('Checks tool calls ({0})', name)
        : l10n.t('Checks your commands ({0})', name);
    case 'tool':
      return l10n.t('Tool {0}', name);
    case 'command':
      return l10n.t('Command {0}', name);
    case 'shortcut':
      return l10n.t('Shortcut {0}', name);
    case 'flag':
      return l10n.t('Flag {0}', name);
    case 'provider':
      return l10n.t('Models of the provider {0}', name);
    case 'mcpServer':
      return l10n.t('MCP server {0}', name);
    case 'renderer':
      return l10n.t('Renderer for {0}', name);
    case 'skill':
      return l10n.t('Skill {0}', name);
    case 'prompt':
      return l10n.t('Prompt template {0}', name);
    case 'theme':
      return l10n.t('Theme {0}', name);
    case 'module':
      return l10n.t('Module {0}', name);
    case 'shellCommand':
      return l10n.t('Program {0}', name);
    case 'host':
      return l10n.t('Host {0}', name);
    case 'variable':
      return l10n.t('Environment variable {0}', name);
    case 'script':
      return l10n.t('Script {0}', name);
    case 'binary':
      return l10n.t('File that cannot be read as text: {0}', name);
    case 'dependency':
      return l10n.t('Package {0}', name);
    case 'hidden':
      return l10n.t('Its code {0}', hiddenText(name));
    case 'piecedModule':
      return l10n.t('Its code {0}', l10n.t('computes the name of a module: {0}', name));
    case 'unsupported':
      return l10n.t('Uses {0}, which is not available', name);
    case 'event':
    case 'action':
      return name;
  }
}

function hiddenText(name: HiddenName): string {
  switch (name) {
    case 'computedModule':
      return l10n.t('loads a module whose name is computed');
    case 'codeFromText':
      return l10n.t('runs text as code');
    case 'computedEvent':
      return l10n.t('listens to an event whose name is computed');
    case 'outsideLink':
      return l10n.t('links to files outside of the package');
  }
}

function powersText(kind: 'event' | 'gate', detail: string | undefined): string {
  const powers = (detail ?? '').split('; ').flatMap(power => POWERS()[power] ?? []);
  return [...(kind === 'gate' ? [l10n.t('may block them')] : []), ...powers].join(', ');
}

const POWERS = (): Readonly<Record<string, string>> => ({
  cancel: l10n.t('may cancel it'),
  change: l10n.t('may change it'),
  handle: l10n.t('may handle it itself'),
  inject: l10n.t('may add a message'),
  summarize: l10n.t('may write the summary'),
});

function updateSection({ from, changes }: NonNullable<ReportContext['update']>): ReportSection {
  const lines = [
    ...changes.added.map(claim => claimLine(claim, 'added')),
    ...changes.removed.map(claim => claimLine({ ...claim, places: [] }, 'removed')),
  ];
  const title = from === undefined ? l10n.t('Changed since you approved it') : l10n.t('Changed since {0}', from);
  const same = l10n.t('No changes in this list, but the code changed.');
  return { title, lines: lines.length > 0 ? lines : [{ text: same, places: [] }] };
}

function compatibilitySection({ claims, compatibility, about }: PackagePreview): ReportSection {
  const missing = claims.filter(({ kind }) => kind === 'unsupported');
  const { used, dialect } = compatibility;
  const asks = (about.asksFor ?? []).map((text): ReportLine => ({ text: l10n.t('Asks for {0}', text), places: [] }));
  const dialectLine = { text: l10n.t('Read as {0}: {1}', dialect.id, dialect.because), places: [] };
  const all = l10n.t('Everything of pi that it uses is available.');
  const summary: ReportLine =
    missing.length === 0
      ? { text: all, places: [] }
      : {
          text: l10n.t(
            'Not available, of the {1} members, events and exports of pi that it uses: {0}',
            missing.length,
            used,
          ),
          tone: 'warning',
          places: [],
        };
  const lines = [summary, ...missing.map(claim => claimLine(claim)), dialectLine, ...asks];
  return { title: l10n.t('Compatibility'), lines: used === 0 && asks.length === 0 ? [] : lines };
}

function unreadSection({ claims, read }: PackagePreview): ReportSection {
  const hidden = claims.filter(({ kind }) => HIDDEN.includes(kind)).map(claim => claimLine(claim));
  const unread = read.unread.map(({ file, why }): ReportLine => {
    const place = { file, ...(why.type === 'broken' ? { line: why.line } : {}) };
    return { text: unreadText(why), tone: 'warning', places: [place] };
  });
  const stopped = read.stopped === undefined ? [] : [read.stopped];
  const given = stopped.map((why): ReportLine => ({
    text: l10n.t('Its code was not read: {0}. This page is incomplete.', why),
    tone: 'warning',
    places: [],
  }));
  const searched = l10n.t(
    'Files of its extensions, read in full: {0}. Further files of its own and of its dependencies, only searched for modules: {1}.',
    ...[read.parsed, read.searched],
  );
  const always = l10n.t(
    'Code can also decide from values that exist only at run time. None of it was run for this page.',
  );
  return {
    title: l10n.t('What the source code does not show'),
    lines: [...given, ...hidden, ...unread, ...[searched, always].map(text => ({ text, places: [] }))],
  };
}

function unreadText(why: UnreadFile['why']): string {
  switch (why.type) {
    case 'tooLarge':
      return l10n.t('Too large to analyze ({0}); its text was searched', sizeText(why.bytes));
    case 'tooMuch':
      return l10n.t('Not analyzed, because the package has too much code; its text was searched as far as possible');
    case 'broken':
      return l10n.t('Cannot be parsed: {0}', why.message);
    case 'unreadable':
      return l10n.t('Cannot be read: {0}', why.message);
  }
}

function factsOf({ about, size }: PackagePreview): readonly string[] {
  const { license, author, publisher, published, homepage } = about;
  const bytes = sizeText(size.bytes);
  const files = size.files === 1 ? l10n.t('1 file, {0}', bytes) : l10n.t('{0} files, {1}', size.files, bytes);
  return [
    license === undefined ? l10n.t('no license is named') : l10n.t('license {0}', license),
    ...(author === undefined ? [] : [l10n.t('by {0}', author)]),
    ...(publisher === undefined ? [] : [l10n.t('published by {0}', publisher)]),
    ...(published === undefined ? [] : [l10n.t('on {0}', published.slice(0, 10))]),
    size.isCut ? l10n.t('more than {0}', files) : files,
    ...(homepage === undefined ? [] : [homepage]),
  ];
}

/** Formats a number of bytes for the user. */
function sizeText(bytes: number): string {
  if (bytes < 1_000) return l10n.t('{0} bytes', bytes);
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
