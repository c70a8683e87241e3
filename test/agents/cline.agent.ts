import { describeGuardedAgent } from './support/guarded-agent';

describeGuardedAgent('cline', {
  order: 6,
  own: { path: '.cline/hooks/PreToolUse.bash' },
  others: { path: '.cline/hooks/PreToolUse', text: '#!/bin/sh\nmkdir -p other\n' },
  // Nothing in a project turns its hooks off.
  switches: { files: [], count: false },
});
