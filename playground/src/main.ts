import { mount } from 'svelte';
import App from './App.svelte';
import { readAbout } from './app/about.ts';
import './app/theme.css';

const target = document.getElementById('page')!;
mount(App, { target, props: { about: await readAbout() } });
