/** The host's own name, logo and prefix of keys, as pages, descriptions and agents show them. */

export interface Brand {
  name: string;
  /** How new keys begin; the name of the service in programs' settings, too. */
  keyPrefix: string;
  /** Null: the product's own. */
  logo: { contentType: string; bytes: Buffer } | null;
}

/** Of a host that has set none of it. */
export const productBrand: Brand = { name: 'gamehost', keyPrefix: 'gamehost', logo: null };

/** The product has no site of its own: each service has its documentation. */
export const poweredBy = '<a href="/api/v1/docs">Powered by gamehost</a>';
