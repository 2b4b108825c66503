/** The version in package.json, which clients and operators see. */
export const version = '1.0.0';
