/** The settings HOST_NAME, HOST_LOGO and KEY_PREFIX. */
import { z } from 'zod';
import { type Brand, productBrand } from '../bridge/pages/brand.ts';
import { readOrNull } from './setting-types.ts';

const logoBytesMax = 256 * 1024;

/** Recognizes an image by its first bytes, read as Latin-1, because a file's name proves nothing. */
const kinds: readonly [contentType: string, isKind: (opening: string) => boolean][] = [
  ['image/png', (opening) => opening.startsWith('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', (opening) => opening.startsWith('\xff\xd8\xff')],
  ['image/gif', (opening) => /^GIF8[79]a/.test(opening)],
  ['image/webp', (opening) => opening.startsWith('RIFF') && opening.startsWith('WEBP', 8)],
  ['image/svg+xml', isSvg],
];

export const brandSettings = {
  HOST_NAME: z
    .string()
    .trim()
    .regex(/^\P{C}{1,60}$/u, 'must be 1 to 60 characters, none of them a control character')
    .default(productBrand.name)
    .describe(
      "The name of your company, as customers see it on pages, in mails and in the API's description",
    ),
  HOST_LOGO: z
    .string()
    .transform(readLogo)
    .optional()
    .describe('The path of your logo: PNG, JPEG, GIF, WebP or SVG, at most 256 KiB, readable by the service'),
  KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{1,19}$/, 'must be 2 to 20 characters of a-z and 0-9, beginning with a letter')
    .default(productBrand.keyPrefix)
    .describe('The beginning of new API keys; older keys stay valid'),
};

type BrandSettings = z.infer<z.ZodObject<typeof brandSettings>>;

export const brandOf = (env: BrandSettings): { brand: Brand } => ({
  brand: { name: env.HOST_NAME, keyPrefix: env.KEY_PREFIX, logo: env.HOST_LOGO ?? null },
});

function readLogo(path: string, context: z.RefinementCtx): NonNullable<Brand['logo']> {
  const bytes = readOrNull(path);
  const opening = bytes?.subarray(0, 4096).toString('latin1') ?? '';
  const contentType = kinds.find(([, isKind]) => isKind(opening))?.[0];
  if (bytes && bytes.length <= logoBytesMax && contentType) return { contentType, bytes };
  context.addIssue({ code: 'custom', message: `must be the path of ${logoRule}`, input: path });
  return z.NEVER;
}

const logoRule = `a readable PNG, JPEG, GIF, WebP or SVG file of at most ${logoBytesMax / 1024} KiB`;

function isSvg(opening: string): boolean {
  const text = Buffer.from(opening, 'latin1')
    .toString()
    .replace(/^\uFEFF/, '')
    .trimStart();
  return text.startsWith('<svg') || (/^<(\?xml|!--|!DOCTYPE svg)/.test(text) && text.includes('<svg'));
}
