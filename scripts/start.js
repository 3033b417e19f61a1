import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { buildMissing } from './build.js'

/** The server ends with it where an operator restarts it. */
const restartCode = 75

await buildMissing()
const program = fileURLToPath(new URL('../jarvis-backend/dist/main.js', import.meta.url))
const env = { ...process.env, JARVIS_SUPERVISED: '1' }
let server
let isEnding = false
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    isEnding = true
    // Not passed on: a terminal and a service manager tell the server too, and a second signal does not wait.
    if (server.connected) server.disconnect()
  })
}
for (;;) {
  server = spawn(process.execPath, [program], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env })
  const [code, signal] = await once(server, 'exit')
  if (code !== restartCode || isEnding) process.exit(code ?? 128 + constants.signals[signal])
}
