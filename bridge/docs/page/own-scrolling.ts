/** Keeps zenscroll, which comes with Swagger UI, from taking over all links of the page: set before it is loaded. */
Object.assign(globalThis, { noZensmooth: true });
