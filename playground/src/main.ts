import { mount } from 'svelte';
import App from './app/App.svelte';
import { readAbout } from './live/about.ts';
import { takeFromAddress } from './live/token.ts';
import './app/theme.css';

// Before anything looks at the address: a token in it is no shared run. It may also be pasted into a page that is open.
takeFromAddress();
addEventListener('hashchange', (event) => {
  if (takeFromAddress()) event.stopImmediatePropagation();
});

const target = document.getElementById('page')!;
mount(App, { target, props: { about: await readAbout() } });
