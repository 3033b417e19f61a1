import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const bin = (name, path) => join(dirname(require.resolve(`${name}/package.json`)), path)
const run = (...args) => spawn(process.execPath, args, { stdio: 'inherit' })

// Both sides with reload: the server restarts on a change, the page is replaced in place. Open the address vite prints.
const children = [
  run(bin('tsx', 'dist/cli.mjs'), 'watch', '--clear-screen=false', 'jarvis-backend/src/main.ts'),
  run(bin('vite', 'bin/vite.js'), 'jarvis-frontend'),
]
const stop = () => {
  for (const child of children) child.kill('SIGTERM')
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
for (const child of children) child.on('exit', stop)
