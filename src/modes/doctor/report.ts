/** One thing that `hookline doctor` looked at. */
export interface DoctorRow {
  readonly name: string;
  /** What was found. */
  readonly value: string;
  /** What does not work because of it, and what to do. */
  readonly problem?: string;
}

/** What `hookline doctor` reports, in the order of its output. `--json` prints it as it is. */
export interface DoctorReport {
  readonly versions: readonly DoctorRow[];
  readonly places: readonly DoctorRow[];
  readonly programs: readonly DoctorRow[];
  readonly agents: readonly DoctorRow[];
  readonly trust: readonly DoctorRow[];
  readonly hooks: readonly DoctorRow[];
}

const TITLES: Readonly<Record<keyof DoctorReport, string>> = {
  versions: 'Versions',
  places: 'Places',
  programs: 'Programs',
  agents: 'Other agents',
  trust: 'Trust',
  hooks: 'Hooks of this folder',
};

/** What is said of a section without rows. */
const NOTHING: Readonly<Partial<Record<keyof DoctorReport, string>>> = {
  agents: 'none that Hookline can guard was found',
  hooks: 'none was found',
};

/** The report for people; a line that begins with `!` is a problem. */
export function doctorText(report: DoctorReport): string {
  const sections = Object.entries(TITLES) as [keyof DoctorReport, string][];
  const lines = sections.flatMap(([id, title]) => {
    const rows = report[id].flatMap(rowLines);
    return [title, ...(rows.length > 0 ? rows : [`  ${NOTHING[id] ?? 'none'}`]), ''];
  });
  const count = problemsIn(report).length;
  const end =
    count === 0 ? 'No problem was found.' : `${count} problem${count === 1 ? '' : 's'}: see the lines with "!".`;
  return [...lines, end, ''].join('\n');
}

/** All problems of a report. */
export function problemsIn(report: DoctorReport): readonly string[] {
  return Object.values(report).flatMap((rows: readonly DoctorRow[]) => rows.flatMap(({ problem }) => problem ?? []));
}

function rowLines({ name, value, problem }: DoctorRow): readonly string[] {
  return [`  ${name}: ${value}`, ...(problem === undefined ? [] : [`  ! ${problem}`])];
}
