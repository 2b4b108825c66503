/** Entry point of the account page. */
import { render } from 'preact';
import { createApi } from './api.ts';
import { App } from './app.tsx';
import { readRequestId } from './apps/pending-request.ts';
import { takeArrival } from './arrival.ts';

const page = document.getElementById('page');
const arrival = takeArrival();
if (readRequestId(location) !== null) document.title = 'Connect an app · gamehost';
if (page) render(<App api={createApi()} arrival={arrival} />, page);
