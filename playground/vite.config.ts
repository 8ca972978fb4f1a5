import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type UserConfig } from 'vite';

/** One static folder that any of our servers can hand out, under any path. */
const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [svelte({ compilerOptions: { css: 'external' } })],
  build: {
    outDir: '../dist/playground',
    emptyOutDir: true,
    target: 'es2022',
    // Everything comes as a file of our own origin: the content-security policy allows nothing else.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
  worker: { format: 'es' },
});

export default config;
