import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, loadEnv } from 'vite'
import { libraryEdits } from './library-edits.ts'
import { precompress } from './precompress.ts'

const { JARVIS_URL, PORT } = loadEnv('development', `${import.meta.dirname}/..`, ['JARVIS_URL', 'PORT'])

// The Host stays the page's own: the server refuses an Origin that is another host's.
const server = { target: JARVIS_URL || `http://127.0.0.1:${PORT || 4000}`, changeOrigin: false }

/** The panel beside the chat. Its parts would be small files. */
const side = /\/src\/(app\/ghosts|features\/cluster\/(panel|parts|task-groups)|ui\/(panel-head|meter|spark))\.tsx?$/

export default defineConfig({
  plugins: [react(), tailwindcss(), libraryEdits, precompress()],
  // The CSP allows no data: fonts or scripts, so nothing is inlined.
  build: {
    assetsInlineLimit: 0,
    manifest: true,
    target: 'es2022',
    // The first page carries these lists. Parts come when all is quiet, so only styles, and what a session waits for, are
    // worth a place in them.
    modulePreload: {
      polyfill: false,
      resolveDependencies: (file, deps) =>
        deps.filter((dep) => dep.endsWith('.css') || file.includes('/session-stream-')),
    },
    // Diagrams have large parts, which load with the first diagram; what the first page loads has its own check.
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // With all that it imports: parts of it in files of their own would be more requests, and compress less well.
            { name: 'first', test: /\/src\/app\.tsx$|rolldown\/runtime/, priority: 1 },
            { name: 'side', test: side, includeDependenciesRecursively: false },
            // Small modules that many pages import would be many small files.
            {
              name: 'common',
              test: /\/jarvis-frontend\/src\//,
              minShareCount: 5,
              includeDependenciesRecursively: false,
            },
          ],
        },
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
