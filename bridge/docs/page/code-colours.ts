/** The colours of code as Swagger UI's highlighter takes them: they are named in the style sheet, like all others. */
const key = { color: 'var(--code-key)' };
const text = { color: 'var(--code-string)' };
const value = { color: 'var(--code-value)' };

export const codeColours = {
  hljs: {},
  'hljs-attr': key,
  'hljs-attribute': key,
  'hljs-string': text,
  'hljs-number': value,
  'hljs-literal': value,
  'hljs-keyword': value,
};
