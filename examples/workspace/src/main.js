import { greet } from './greet.js';

const [name = 'stranger'] = process.argv.slice(2);
console.log(greet(name, new Date().getHours()));
