/** The beginnings of the tokens that apps receive: secret scanners know them by these, and the service tells them from keys. */
export const accessTokenMarker = 'gamehost_app_';
export const refreshTokenMarker = 'gamehost_refresh_';
