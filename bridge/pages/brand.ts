/** The host's name, logo and prefix of keys, as pages, descriptions and agents show them. */

export interface Brand {
  name: string;
  /** The prefix of new keys, and the service's name in the settings of MCP clients. */
  keyPrefix: string;
  logo: { contentType: string; bytes: Buffer } | null;
}

export const productBrand: Brand = { name: 'gamehost', keyPrefix: 'gamehost', logo: null };

/** The product has no website, so the link leads to the service's documentation. */
export const poweredBy = '<a href="/api/v1/docs">Powered by gamehost</a>';

const productLogo = {
  contentType: 'image/svg+xml',
  bytes: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Logo</title><defs>' +
      '<linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#7c6cff"/>' +
      '<stop offset="1" stop-color="#4338ca"/></linearGradient></defs>' +
      '<rect width="32" height="32" rx="8" fill="url(#g)"/>' +
      '<rect x="7" y="8" width="18" height="6.5" rx="2" fill="#fff"/>' +
      '<rect x="7" y="17.5" width="18" height="6.5" rx="2" fill="#fff" fill-opacity=".72"/>' +
      '<circle cx="21" cy="11.25" r="1.5" fill="#4338ca"/>' +
      '<circle cx="21" cy="20.75" r="1.5" fill="#4338ca"/></svg>',
  ),
};

export const logoOf = ({ logo }: Brand) => logo ?? productLogo;
