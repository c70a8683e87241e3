'use strict';
const vscode = require('vscode');

const SHOWN = 'shown';

exports.activate = async context => {
  if (context.workspaceState.get(SHOWN)) return;
  // Where the cursor stands in the composer, so that the first key typed is the first letter of a request.
  await vscode.commands.executeCommand('hookline.openChat');
  await context.workspaceState.update(SHOWN, true);
};
