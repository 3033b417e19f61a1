import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { compose, demoFor } from '../../src/process.ts'
import { observed } from './observed-database.ts'
import { watchPuts } from './put-steps.ts'

export type WorkbenchStart = { dataDir: string; jwtSecret: string }
/** A statement of the database, or `before put NAME` and `after put NAME`: a file takes its place. */
export type DieAt = { dieAt: string }

process.on('disconnect', () => process.exit())
const started = once(process, 'message')
process.send?.('loaded')
const [{ dataDir, jwtSecret }] = (await started) as [WorkbenchStart]

let dieAt: string | undefined
// Told after the start, which passes these steps itself when it finishes what the life before began.
process.on('message', (told: DieAt) => {
  dieAt = told.dieAt
  process.send?.('armed')
})
const reach = (point: string) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL')
}
watchPuts(reach)

const config = readConfig({
  JARVIS_DATA_DIR: dataDir,
  JARVIS_PASSWORD: 'correct-horse-battery',
  JWT_SECRET: jwtSecret,
  LOG_LEVEL: 'error',
  PORT: '0',
  JARVIS_EMBEDDINGS: 'none',
})
const jarvis = compose(
  config,
  { version: '0.0.0-crash', dashboardDir: join(dataDir, 'no-dashboard') },
  {
    demo: await demoFor(config),
    database: (database) => observed(database, reach),
  },
)
jarvis.http.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}` })
})
