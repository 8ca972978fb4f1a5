import { mount } from 'svelte';
import App from './app/App.svelte';
import { readAbout } from './live/about.ts';
import './app/theme.css';

const target = document.getElementById('page')!;
mount(App, { target, props: { about: await readAbout() } });
