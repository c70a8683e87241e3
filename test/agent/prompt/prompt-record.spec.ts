import assert from 'node:assert/strict';
import type { AgentMessage } from '../../../src/agent/messages';
import { promptChange, promptCheckpoint } from '../../../src/agent/prompt/prompt-record';
import type { AnyTool } from '../../../src/agent/tools/tool';
import { user } from '../session/support';

const tool = (name: string, description = name): AnyTool =>
  ({ name, description, parameters: { type: 'object', properties: {} }, label: name }) as unknown as AnyTool;

describe('the record of the prompt', () => {
  const declared = (name: string, description = name) => ({
    name,
    description,
    parameters: { type: 'object', properties: {} },
  });
  const context: AgentMessage[] = [];
  const change = (sections: Readonly<Record<string, string>>, tools: readonly AnyTool[]) => {
    const message = promptChange(context, sections, tools);
    if (message === undefined) return undefined;
    context.push(message, user('go on'));
    return { ...message, timestamp: 0 };
  };

  it('says all at first, then what changed, and nothing when nothing did', () => {
    assert.deepEqual(change({ preamble: 'You are.', cwd: '/w' }, [tool('read'), tool('bash')]), {
      role: 'system',
      content: '',
      timestamp: 0,
      sections: { preamble: 'You are.', cwd: '/w' },
      toolsAdded: [declared('read'), declared('bash')],
    });
    assert.equal(change({ preamble: 'You are.', cwd: '/w' }, [tool('bash'), tool('read')]), undefined);
    assert.deepEqual(change({ preamble: 'You are.', skills: 'kit' }, [tool('read'), tool('bash')]), {
      role: 'system',
      content: '',
      timestamp: 0,
      sections: { skills: 'kit', cwd: null },
    });
    assert.deepEqual(change({ preamble: 'You are.', skills: 'kit' }, [tool('read', 'reads more')]), {
      role: 'system',
      content: '',
      timestamp: 0,
      toolsAdded: [declared('read', 'reads more')],
      toolsRemoved: [{ name: 'read' }, { name: 'bash' }],
    });
  });

  it('is one whole message at a compaction', () => {
    assert.deepEqual(promptCheckpoint(context, 7), {
      role: 'system',
      content: '',
      sections: { preamble: 'You are.', skills: 'kit' },
      toolsAdded: [declared('read', 'reads more')],
      timestamp: 7,
    });
    assert.equal(promptCheckpoint([user('x')], 7), undefined);
    const legacy: AgentMessage = { role: 'system', content: [{ type: 'text', text: 'More.' }], timestamp: 1 };
    assert.equal(promptCheckpoint([legacy, { ...legacy, content: 'Again.' }], 7)?.content, 'More.\n\nAgain.');
  });
});
