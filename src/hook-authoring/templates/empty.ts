import { importOf, NEWEST_FIRST } from './dialect-shape';
import { CURSOR, type HookTemplate } from './template';

export const empty: HookTemplate = {
  label: 'Empty',
  detail: 'An empty hook to start from',
  fileName: 'hook',
  dialects: NEWEST_FIRST,
  body: (shape, { camel }) => `
${importOf(shape)}

export default function ${camel}(pi: ${shape.api}) {
  ${CURSOR}
}`,
};
