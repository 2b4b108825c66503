/** Entry point of the account page. */
import { render } from 'preact';
import { createApi } from './api.ts';
import { App } from './app.tsx';
import { takeArrival } from './arrival.ts';
import { surviveTranslation } from './translated-text.ts';

const page = document.getElementById('page');
const arrival = takeArrival();
if (page) {
  surviveTranslation(page);
  render(<App api={createApi()} arrival={arrival} />, page);
}
