/** The version of this program, as clients and operators are told. */

/** That of package.json. */
export const version = '1.0.0';
