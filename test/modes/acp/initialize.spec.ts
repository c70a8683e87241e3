import assert from 'node:assert/strict';
import { ACP_PROFILES, AcpEditor, type AcpProfile } from '../support/acp';
import { onePlace } from '../support/each-with-model';

describe('initialize of the Agent Client Protocol', () => {
  const place = onePlace();

  for (const profile of Object.keys(ACP_PROFILES) as AcpProfile[]) {
    it(`is answered to a client that offers ${profile}`, async () => {
      const editor = AcpEditor.start(place, { profile });
      const { protocolVersion, agentInfo, agentCapabilities, _meta } = await editor.initialize();
      assert.equal(protocolVersion, 1);
      assert.equal(agentInfo?.name, 'hookline');
      assert.match(agentInfo.version, /^\d+\.\d+\.\d+/);
      assert.deepEqual(agentCapabilities, {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {}, fork: {} },
      });
      assert.deepEqual(_meta, { steering: { supported: true } });
      await editor.end();
    });
  }
});
