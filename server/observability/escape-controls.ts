/** Escapes in JSON what JSON leaves as it is although terminals act on it: 8-bit controls, bidirectional and line marks. */

const controls = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The same JSON value, safe to print: such characters occur only within its strings. */
export const escapeControls = (json: string): string => json.replace(controls, escaped);
