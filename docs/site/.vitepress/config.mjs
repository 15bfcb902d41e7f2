// `npm run docs` in the root writes the pages and their navigation before this is read.
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const { sidebar } = JSON.parse(readFileSync(new URL('../pages/navigation.json', import.meta.url), 'utf8'))

export default defineConfig({
  title: 'driftgate',
  description: 'Audits Linux hosts against policies, gates pipelines on the drift, and fixes it',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  // Text such as <NAME> is text.
  markdown: { html: false, languageAlias: { jet: 'html' } },
  themeConfig: { sidebar, outline: [2, 3], search: { provider: 'local' } },
})
