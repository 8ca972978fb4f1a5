import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type UserConfig } from 'vite';

/** One static folder that any of our servers can hand out, under any path. */
const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [
    svelte({
      compilerOptions: { css: 'external' },
      // A warning of the compiler, most often about access for all, is a defect.
      onwarn(warning) {
        // What a component is given never changes here, so reading it once is enough.
        if (warning.code === 'state_referenced_locally') return;
        throw new Error(`${warning.filename}:${warning.start?.line}: ${warning.code}: ${warning.message}`);
      },
    }),
  ],
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
