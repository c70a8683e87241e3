import assert from 'node:assert/strict';
import { contractOf } from '../../../src/guard/agents';
import type { AgentId } from '../../../src/guard/protocol/agent-call';
import { answered, CWD, readCall, toolCall } from './agent-calls';

/** What a hook sees of the call. */
function seen(agent: AgentId, name: string, input: object): unknown {
  return toolCall(agent, name, input).calls.map(call => [call.toolName, call.input]);
}

/** The arguments that the agent gets back when a hook changes those of the only call. */
function changed(agent: AgentId, name: string, input: object, change: object): unknown {
  const event = toolCall(agent, name, input);
  const after = { ...event.calls[0]?.input, ...change };
  const written = contractOf(agent).write(event, { input: [after] });
  const output = answered(written.output)?.['hookSpecificOutput'] as Record<string, unknown> | undefined;
  if (written.denied === undefined) return output?.['updatedInput'];
  assert.equal(output?.['permissionDecision'], 'deny');
  assert.equal(output['permissionDecisionReason'], written.denied);
  return written.denied;
}

describe('a call of another agent', () => {
  it('has the names of pi, absolute paths and times in seconds', () => {
    assert.deepEqual(seen('claude', 'Bash', { command: 'ls', timeout: 5000, description: 'list' }), [
      ['bash', { command: 'ls', timeout: 5, description: 'list' }],
    ]);
    assert.deepEqual(seen('claude', 'Read', { file_path: 'src/../a.ts', limit: 5 }), [
      ['read', { path: `${CWD}/a.ts`, limit: 5 }],
    ]);
    assert.deepEqual(seen('claude', 'Write', { file_path: '/x/@new', content: 'c' }), [
      ['write', { path: '/x/@new', content: 'c' }],
    ]);
    assert.deepEqual(seen('claude', 'Glob', { pattern: '*' }), [['find', { pattern: '*' }]]);
    assert.deepEqual(seen('claude', 'Grep', { pattern: 'x', '-i': true, '-C': 2, head_limit: 3, type: 'ts' }), [
      ['grep', { pattern: 'x', ignoreCase: true, context: 2, limit: 3, type: 'ts' }],
    ]);
    assert.deepEqual(seen('claude', 'LS', { path: 'src' }), [['ls', { path: `${CWD}/src` }]]);
    assert.deepEqual(seen('copilot', 'Read', { path: 'a.ts', view_range: [1, 2] }), [
      ['read', { path: `${CWD}/a.ts`, view_range: [1, 2] }],
    ]);
    assert.deepEqual(seen('copilot', 'create', { path: 'a', file_text: 't' }), [
      ['write', { path: `${CWD}/a`, content: 't' }],
    ]);
    assert.deepEqual(seen('codex', 'exec_command', { cmd: 'ls' }), [['bash', { command: 'ls' }]]);
    assert.deepEqual(seen('codex', 'view_image', { path: 'a.png' }), [['read', { path: `${CWD}/a.png` }]]);
  });

  it('that edits has a list of edits, whatever the tool', () => {
    const edit = { oldText: 'a', newText: 'b' };
    assert.deepEqual(seen('claude', 'Edit', { file_path: '/x', old_string: 'a', new_string: 'b', replace_all: true }), [
      ['edit', { path: '/x', replace_all: true, edits: [edit] }],
    ]);
    assert.deepEqual(
      seen('claude', 'MultiEdit', {
        file_path: '/x',
        edits: [{ old_string: 'a', new_string: 'b', replace_all: true }],
      }),
      [['edit', { path: '/x', edits: [{ ...edit, replace_all: true }] }]],
    );
    assert.deepEqual(seen('claude', 'NotebookEdit', { notebook_path: '/x', new_source: 'b', cell_id: '1' }), [
      ['edit', { path: '/x', cell_id: '1', edits: [{ oldText: '', newText: 'b' }] }],
    ]);
    for (const name of ['Edit', 'edit', 'str_replace']) {
      assert.deepEqual(seen('copilot', name, { path: '/x', old_str: 'a', new_str: 'b' }), [
        ['edit', { path: '/x', edits: [edit] }],
      ]);
    }
    const replace = { command: 'str_replace', path: '/x', old_str: 'a', new_str: 'b' };
    assert.deepEqual(seen('copilot', 'str_replace_editor', replace), [
      ['edit', { command: 'str_replace', path: '/x', edits: [edit] }],
    ]);
  });

  it('cannot show a hook another file or text than the one that the agent takes', () => {
    assert.deepEqual(seen('claude', 'Write', { path: '/harmless', file_path: '/secret', content: '' }), [
      ['write', { path: '/secret', content: '' }],
    ]);
    assert.deepEqual(
      seen('copilot', 'Write', { file_path: '/harmless', path: '/secret', file_text: 'x', content: 'y' }),
      [['write', { path: '/secret', content: 'x' }]],
    );
    const edit = { file_path: '/x', old_string: 'a', new_string: 'b', edits: [{ oldText: 'c', newText: 'd' }] };
    assert.deepEqual(seen('claude', 'Edit', edit), [['edit', { path: '/x', edits: [{ oldText: 'a', newText: 'b' }] }]]);
  });

  it('is one call for each folder where a search is given several', () => {
    assert.deepEqual(seen('copilot', 'grep', { pattern: 'x', paths: ['a', '/b'] }), [
      ['grep', { pattern: 'x', paths: ['a', '/b'], path: `${CWD}/a` }],
      ['grep', { pattern: 'x', paths: ['a', '/b'], path: '/b' }],
    ]);
  });

  it('of an MCP tool has the name that Hookline gives such tools', () => {
    const input = { what: 'x', path: 'a' };
    for (const agent of ['claude', 'codex'] as const) {
      assert.deepEqual(seen(agent, 'mcp__my-srv__wipe', input), [['mcp__my_srv__wipe', input]]);
    }
    assert.deepEqual(seen('copilot', 'srv-wipe-all', input), [['mcp__srv__wipe_all', input]]);
    assert.deepEqual(seen('copilot', 'github-mcp-server-get_me', {}), [['mcp__github_mcp_server__get_me', {}]]);
  });

  it('of an unknown tool keeps its name and its arguments', () => {
    for (const agent of ['claude', 'copilot', 'codex'] as const) {
      assert.deepEqual(seen(agent, 'Teleport', { path: 'a', to: 1 }), [['Teleport', { path: 'a', to: 1 }]]);
    }
  });
});

describe('a call of Qwen Code', () => {
  it('has the names of pi', () => {
    assert.deepEqual(seen('qwen', 'run_shell_command', { command: 'ls', timeout: 5000, is_background: false }), [
      ['bash', { command: 'ls', timeout: 5, is_background: false }],
    ]);
    assert.deepEqual(seen('qwen', 'monitor', { command: 'ls' }), [['bash', { command: 'ls' }]]);
    assert.deepEqual(seen('qwen', 'edit', { file_path: '/a', old_string: 'a', new_string: 'b' }), [
      ['edit', { path: '/a', edits: [{ oldText: 'a', newText: 'b' }] }],
    ]);
    assert.deepEqual(seen('qwen', 'read_file', { file_path: 'a' }), [['read', { path: `${CWD}/a` }]]);
    assert.deepEqual(seen('qwen', 'write_file', { file_path: '/a', content: 'c' }), [
      ['write', { path: '/a', content: 'c' }],
    ]);
    assert.deepEqual(seen('qwen', 'grep_search', { pattern: 'x', path: '/a', limit: 2 }), [
      ['grep', { pattern: 'x', path: '/a', limit: 2 }],
    ]);
    assert.deepEqual(seen('qwen', 'mcp__my-srv__wipe', { path: 'a' }), [['mcp__my_srv__wipe', { path: 'a' }]]);
  });
});

describe('a call of Gemini CLI', () => {
  it('has the names of pi', () => {
    assert.deepEqual(seen('gemini', 'run_shell_command', { command: 'ls', description: 'list' }), [
      ['bash', { command: 'ls', description: 'list' }],
    ]);
    assert.deepEqual(seen('gemini', 'read_file', { file_path: 'a.ts', start_line: 2 }), [
      ['read', { path: `${CWD}/a.ts`, start_line: 2 }],
    ]);
    assert.deepEqual(seen('gemini', 'write_file', { file_path: '/a', content: 'c' }), [
      ['write', { path: '/a', content: 'c' }],
    ]);
    const edit = { file_path: '/a', old_string: 'a', new_string: 'b', instruction: 'i' };
    assert.deepEqual(seen('gemini', 'replace', edit), [
      ['edit', { path: '/a', instruction: 'i', edits: [{ oldText: 'a', newText: 'b' }] }],
    ]);
    assert.deepEqual(seen('gemini', 'glob', { pattern: '*', dir_path: 'src' }), [
      ['find', { pattern: '*', path: `${CWD}/src` }],
    ]);
    const found = [['grep', { pattern: 'x', path: '/a', glob: '*.ts' }]];
    assert.deepEqual(seen('gemini', 'grep_search', { pattern: 'x', dir_path: '/a', include_pattern: '*.ts' }), found);
    assert.deepEqual(seen('gemini', 'search_file_content', { pattern: 'x', dir_path: '/a', include: '*.ts' }), found);
    assert.deepEqual(seen('gemini', 'list_directory', { dir_path: '/a' }), [['ls', { path: '/a' }]]);
  });

  it('of an MCP tool has the name that Hookline gives such tools', () => {
    const mcp_context = { server_name: 'my-srv', tool_name: 'wipe', command: 'node' };
    const members = { tool_name: 'mcp_my-srv_wipe', tool_input: { path: 'a' }, mcp_context };
    const event = readCall('gemini', 'BeforeTool', members);
    assert.deepEqual(event.type === 'tool_call' && event.calls, [
      { toolName: 'mcp__my_srv__wipe', input: { path: 'a' } },
    ]);
  });
});

describe('arguments that a hook changed', () => {
  it('are the only ones that change for the agent', () => {
    assert.deepEqual(
      changed('claude', 'Bash', { command: 'rm x', timeout: 1000, description: 'd' }, { command: 'ls', timeout: 2 }),
      { command: 'ls', timeout: 2000, description: 'd' },
    );
    assert.deepEqual(changed('claude', 'Bash', { command: 'rm x' }, { timeout: 2 }), {
      command: 'rm x',
      timeout: 2000,
    });
    assert.deepEqual(changed('claude', 'Write', { file_path: 'a', content: 'c', mode: 1 }, { path: 'b' }), {
      file_path: `${CWD}/b`,
      content: 'c',
      mode: 1,
    });
    const edit = { file_path: '/x', old_string: 'a', new_string: 'b', replace_all: true };
    assert.deepEqual(changed('claude', 'Edit', edit, { edits: [{ oldText: 'a', newText: 'c' }] }), {
      ...edit,
      new_string: 'c',
    });
    assert.deepEqual(
      changed(
        'claude',
        'MultiEdit',
        { file_path: '/x', edits: [{ old_string: 'a', new_string: 'b' }] },
        {
          edits: [
            { oldText: 'a', newText: 'c' },
            { oldText: 'd', newText: 'e' },
          ],
        },
      ),
      {
        file_path: '/x',
        edits: [
          { old_string: 'a', new_string: 'c' },
          { old_string: 'd', new_string: 'e' },
        ],
      },
    );
    assert.deepEqual(changed('copilot', 'Edit', { path: 'a', old_str: '', new_str: 'n' }, { path: '/b' }), {
      path: '/b',
      old_str: '',
      new_str: 'n',
    });
    assert.deepEqual(changed('copilot', 'grep', { pattern: 'x', paths: ['a'] }, { path: '/b' }), {
      pattern: 'x',
      paths: ['/b'],
    });
    assert.deepEqual(changed('codex', 'mcp__srv__wipe', { what: 'x' }, { what: 'y' }), { what: 'y' });
    assert.deepEqual(changed('claude', 'Bash', { command: 'ls', timeout: 1 }, { timeout: undefined }), {
      command: 'ls',
    });
  });

  it('are no answer when they are as before', () => {
    const event = toolCall('claude', 'Bash', { command: 'ls' });
    assert.equal(contractOf('claude').write(event, { input: [{ command: 'ls' }] }).output, '');
  });

  it('are a denial where the tool of the agent would ignore or misread them', () => {
    const several = { edits: [1, 2].map(n => ({ oldText: `${n}`, newText: '' })) };
    const edit = { file_path: '/x', old_string: 'a', new_string: 'b' };
    assert.match(String(changed('claude', 'Edit', edit, several)), /2 edits, and Edit takes one/);
    assert.match(String(changed('claude', 'Edit', edit, { edits: 'none' })), /edits that are no texts/);
    assert.match(String(changed('claude', 'Read', { file_path: '/x' }, { encoding: 'x' })), /argument "encoding"/);
    assert.match(String(changed('copilot', 'Bash', { command: 'x' }, { timeout: 3 })), /argument "timeout"/);
    assert.match(String(changed('codex', 'Bash', { command: 'x' }, { timeout: 3 })), /argument "timeout"/);
    const notebook = { notebook_path: '/x', new_source: 'b' };
    const texts = { edits: [{ oldText: 'old', newText: 'b' }] };
    assert.match(String(changed('claude', 'NotebookEdit', notebook, texts)), /argument "oldText"/);
    assert.match(
      String(changed('copilot', 'grep', { pattern: 'x', paths: ['a', 'b'] }, { path: 'c' })),
      /one of the 2 calls/,
    );
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    assert.match(String(changed('claude', 'Teleport', {}, circular)), /could not write the answer/);
  });
});

describe('a call of opencode', () => {
  it('has the names of pi, absolute paths and times in seconds', () => {
    assert.deepEqual(seen('opencode', 'bash', { command: 'ls', timeout: 5000, workdir: 'x' }), [
      ['bash', { command: 'ls', timeout: 5, workdir: 'x' }],
    ]);
    assert.deepEqual(seen('opencode', 'read', { filePath: 'src/../a.ts', limit: 5 }), [
      ['read', { path: `${CWD}/a.ts`, limit: 5 }],
    ]);
    assert.deepEqual(seen('opencode', 'write', { path: '/harmless', filePath: '/x', content: 'c' }), [
      ['write', { path: '/x', content: 'c' }],
    ]);
    assert.deepEqual(seen('opencode', 'edit', { filePath: '/x', oldString: 'a', newString: 'b', replaceAll: true }), [
      ['edit', { path: '/x', replaceAll: true, edits: [{ oldText: 'a', newText: 'b' }] }],
    ]);
    assert.deepEqual(seen('opencode', 'glob', { pattern: '*' }), [['find', { pattern: '*' }]]);
    assert.deepEqual(seen('opencode', 'grep', { pattern: 'x', include: '*.ts' }), [
      ['grep', { pattern: 'x', glob: '*.ts' }],
    ]);
  });

  it('gets changed arguments with its own names', () => {
    assert.deepEqual(changed('opencode', 'bash', { command: 'rm x', timeout: 1000 }, { command: 'ls', timeout: 2 }), {
      command: 'ls',
      timeout: 2000,
    });
    const edit = { filePath: '/x', oldString: 'a', newString: 'b', replaceAll: true };
    assert.deepEqual(changed('opencode', 'edit', edit, { path: '/y', edits: [{ oldText: 'a', newText: 'c' }] }), {
      ...edit,
      filePath: '/y',
      newString: 'c',
    });
  });

  it('of apply_patch is one call for each file, and a change of its only one is a patch again', () => {
    const patch = (path: string): string => `*** Begin Patch\n*** Add File: ${path}\n+a\n*** End Patch`;
    const two = patch('a').replace('*** End', '*** Delete File: b\n*** End');
    assert.deepEqual(seen('opencode', 'apply_patch', { patchText: two }), [
      ['write', { path: `${CWD}/a`, content: 'a\n' }],
      ['edit', { path: `${CWD}/b`, edits: [{ oldText: '', newText: '' }] }],
    ]);
    assert.deepEqual(changed('opencode', 'apply_patch', { patchText: patch('a') }, { path: '/b' }), {
      patchText: `${patch('/b')}\n`,
    });
    const odd = { patchText: 'no patch' };
    assert.deepEqual(seen('opencode', 'apply_patch', odd), [['apply_patch', odd]]);
  });

  it('of an MCP tool names the server, as far as it is one', () => {
    const named = (tool_name: string, ...mcp_servers: unknown[]): string | undefined => {
      const event = readCall('opencode', 'PreToolUse', { tool_name, tool_input: {}, mcp_servers });
      return event.type === 'tool_call' ? event.calls[0]?.toolName : undefined;
    };
    assert.equal(named('my_srv_wipe_all', 'my', 'my.srv'), 'mcp__my_srv__wipe_all');
    assert.equal(named('other_wipe', 'my'), 'other_wipe');
    assert.equal(named('apply_patch', 'apply'), 'apply_patch');
    assert.equal(named('bash', 'bash', 7), 'bash');
  });
});
