/** Where the account page begins. */
import { render } from 'preact';
import { createApi } from './api.ts';
import { App } from './app.tsx';

const page = document.getElementById('page');
if (page) render(<App api={createApi()} />, page);
