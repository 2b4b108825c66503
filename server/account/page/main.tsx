/** Entry point of the account page. */
import { render } from 'preact';
import { createApi } from './api.ts';
import { App } from './app.tsx';
import { takeArrival } from './arrival.ts';

const page = document.getElementById('page');
if (page) render(<App api={createApi()} arrival={takeArrival()} />, page);
