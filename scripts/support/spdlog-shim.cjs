// Replaces index.js of @vscode/spdlog in our cached VS Code server. The original needs a compiled addon, which npm does not
// contain. Without this file, no log would be written, and the Output panel would show empty channels.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'critical'];
const LABELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  constructor(_type, _name, file, maxBytes, maxFiles) {
    this.file = file;
    this.maxBytes = maxBytes || Infinity;
    this.maxFiles = maxFiles || 1;
    this.level = 2;
    this.plain = false;
    this.bytes = fs.existsSync(file) ? fs.statSync(file).size : 0;
  }
  write(level, message) {
    if (level < this.level || this.file === undefined) return;
    const time = new Date().toISOString().replace('T', ' ').replace('Z', '');
    const line = this.plain ? message : `${time} [${LABELS[level]}] ${message}\n`;
    if (this.bytes + line.length > this.maxBytes) this.rotate();
    fs.appendFileSync(this.file, line);
    this.bytes += Buffer.byteLength(line);
  }
  rotate() {
    const { dir, name, ext } = path.parse(this.file);
    const older = index => (index === 0 ? this.file : path.join(dir, `${name}.${index}${ext}`));
    for (let index = this.maxFiles - 1; index > 0; index--) {
      if (fs.existsSync(older(index - 1))) fs.renameSync(older(index - 1), older(index));
    }
    this.bytes = 0;
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  setPattern() {}
  clearFormatters() {
    this.plain = true;
  }
  flush() {}
  drop() {
    this.file = undefined;
  }
}
LEVELS.forEach((name, level) => {
  Logger.prototype[name] = function (message) {
    this.write(level, message);
  };
});

async function createLogger(type, name, file, maxBytes, maxFiles) {
  await fs.promises.mkdir(path.dirname(file), { recursive: true });
  return new Logger(type, name, file, maxBytes, maxFiles);
}

exports.version = 0;
exports.Logger = Logger;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.createRotatingLogger = (...rest) => createLogger('rotating', ...rest);
exports.createAsyncRotatingLogger = (...rest) => createLogger('rotating_async', ...rest);
