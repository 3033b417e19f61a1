import { spawn } from 'node:child_process'

// Both sides with reload: the server restarts on a change, the page is replaced in place. Open the address vite prints.
const children = [
  spawn('npx', ['tsx', 'watch', '--clear-screen=false', 'jarvis-backend/src/main.ts'], { stdio: 'inherit' }),
  spawn('npx', ['vite', 'jarvis-frontend'], { stdio: 'inherit' }),
]
const stop = () => {
  for (const child of children) child.kill('SIGTERM')
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
for (const child of children) child.on('exit', stop)
