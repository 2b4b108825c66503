/** Keeps zenscroll, bundled with Swagger UI, from handling every link of the page; must run before Swagger UI loads. */
Object.assign(globalThis, { noZensmooth: true });
