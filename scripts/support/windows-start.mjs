// Loaded first by Node in Wine: the environment of an ordinary user of Windows, whose name has a blank and an umlaut.
import { mkdirSync } from 'node:fs';

const home = 'C:\\users\\Jörg Müller';
const folders = { LOCALAPPDATA: 'AppData\\Local', APPDATA: 'AppData\\Roaming', TEMP: 'AppData\\Local\\Temp' };
Object.assign(process.env, { USERPROFILE: home, HOMEPATH: home.slice(2) });
for (const [name, folder] of Object.entries(folders)) process.env[name] = `${home}\\${folder}`;
process.env['PATH'] = [process.env['PATH'], process.env['HOOKLINE_TEST_PATH']].join(';');
process.env['TMP'] = process.env['TEMP'];
mkdirSync(String(process.env['TEMP']), { recursive: true });
