/** Cline's names of its events in payloads, by those of its files. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  TaskStart: 'agent_start',
  TaskResume: 'agent_resume',
  PreToolUse: 'tool_call',
  PostToolUse: 'tool_result',
  TaskComplete: 'agent_end',
  TaskCancel: 'agent_abort',
  TaskError: 'agent_error',
  SessionShutdown: 'session_shutdown',
};

/** What Cline sends for an event, from the members as Claude Code names them. Members that are not of Claude Code stay. */
export function clinePayload(event: string, members: Readonly<Record<string, unknown>>): object {
  const { tool_name: name, tool_input: input, tool_use_id: id, tool_response: output, ...others } = members;
  const tool = { id, name, input };
  return {
    clineVersion: '',
    timestamp: '2026-11-30T18:43:45.621Z',
    taskId: 'conv_1',
    sessionContext: { rootSessionId: 's1' },
    workspaceRoots: ['/work/shop'],
    agent_id: 'agent_1',
    parent_agent_id: null,
    hookName: OWN_NAMES[event] ?? event,
    ...(event === 'PreToolUse' ? { tool_call: tool } : {}),
    ...(event === 'PostToolUse' ? { tool_result: { ...tool, output } } : {}),
    ...others,
  };
}
