'use strict';
const vscode = require('vscode');

const SHOWN = 'shown';

exports.activate = async context => {
  if (context.workspaceState.get(SHOWN)) return;
  // This command focuses the composer, so that the user can type a request at once.
  await vscode.commands.executeCommand('hookline.openChat');
  await context.workspaceState.update(SHOWN, true);
};
