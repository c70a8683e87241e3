// JavaScript, since the types of this library bring those of a browser into the whole program.
export { default as highlighter } from 'highlight.js/lib/common';
