import { list, object, oneOf, text, type Of } from '../base/shape';

/** The todo list of the agent, in its order; empty when there is none. */
export const Todos = list(object({ content: text, status: oneOf('pending', 'in_progress', 'completed', 'abandoned') }));
export type Todos = Of<typeof Todos>;
