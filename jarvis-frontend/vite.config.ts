import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, loadEnv, type Plugin } from 'vite'
import { precompress } from './precompress.ts'

const { JARVIS_URL, PORT } = loadEnv('development', `${import.meta.dirname}/..`, ['JARVIS_URL', 'PORT'])

// The Host stays the page's own: the server refuses an Origin that is another host's.
const server = { target: JARVIS_URL || `http://127.0.0.1:${PORT || 4000}`, changeOrigin: false }

/** What the first page shares with those that come later: in files of their own they would be too small to compress well. */
const shared =
  /\/src\/(protocol\/facts|lib\/(keep|value|use-value|format|argument-text|location)|api\/(auth|http|confirmations|remote|sessions|tools|samples)|ui\/(icon|link|arc|boxed|copy-button|visible|use-now)|features\/(chat\/(client|message|optional|runs|slots|state|step|store|strips)|cluster\/(fold|health|store)))\.tsx?$/

/** The viewer of VMs' screens waits at a module's top for what the browser decodes; one such module splits the first page into small files. */
const noTopLevelAwait: Plugin = {
  name: 'no-top-level-await',
  apply: 'build',
  transform(code, id) {
    if (!id.endsWith('/novnc/core/util/browser.js')) return undefined
    const waits = 'supportsWebCodecsH264Decode = await _checkWebCodecsH264DecodeSupport();'
    if (!code.includes(waits)) throw new Error(`${id} no longer waits as known: look at it again`)
    const goesOn = '_checkWebCodecsH264DecodeSupport().then((can) => { supportsWebCodecsH264Decode = can });'
    return { code: code.replace(waits, goesOn), map: null }
  },
}

export default defineConfig({
  plugins: [react(), tailwindcss(), noTopLevelAwait, precompress()],
  // The CSP allows no data: fonts or scripts, so nothing is inlined.
  build: {
    assetsInlineLimit: 0,
    manifest: true,
    target: 'es2022',
    // The first page carries these lists. Parts come when all is quiet, so only styles, and what a session waits for, are
    // worth a place in them.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, deps) => deps.filter((dep) => dep.endsWith('.css') || file.includes('/stream-')),
    },
    // Diagrams have large parts, which load with the first diagram; what the first page loads has its own check.
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'shared', test: shared }] },
        // Each page is a file `page.tsx`: its folder tells it from the others.
        chunkFileNames: ({ facadeModuleId }) => {
          const [, folder] = /\/pages\/(\w+)\/page\.tsx$/.exec(facadeModuleId ?? '') ?? []
          return `assets/${folder === undefined ? '' : `${folder}-`}[name]-[hash].js`
        },
      },
    },
  },
  // Grammars load one by one inside the worker that reads code.
  worker: { format: 'es' },
  server: {
    proxy: {
      '/api': server,
      '/mcp': server,
      '/.well-known': server,
      '/oauth/register': server,
      '/oauth/token': server,
      '/oauth/revoke': server,
      '/health': server,
      '/socket.io': { ...server, ws: true },
    },
  },
})
