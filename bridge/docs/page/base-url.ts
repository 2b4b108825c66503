/** Fills in where the service is, when only the browser knows the address that people use. */
export function fillInBaseUrl(): void {
  for (const code of document.querySelectorAll('code'))
    code.textContent = code.textContent.replaceAll('{base_url}', location.origin);
}
