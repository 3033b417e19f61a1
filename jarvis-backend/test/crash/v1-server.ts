import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config/config.ts'
import { noting, obedient } from '../support/v1-model.ts'
import { observed } from './observed-database.ts'

/** `dieAt`: what is written, or `effect done`. */
export type V1Start = { dataDir: string; jwtSecret: string; dieAt?: string }

process.on('disconnect', () => process.exit())
const started = once(process, 'message')
process.send?.('loaded')
const [{ dataDir, jwtSecret, dieAt }] = (await started) as [V1Start]

const reach = (point: string) => {
  if (point === dieAt) process.kill(process.pid, 'SIGKILL')
}
const { tool } = noting((line) => {
  appendFileSync(join(dataDir, 'lines'), `${line}\n`)
  reach('effect done')
})
const config = readConfig({
  JARVIS_DATA_DIR: dataDir,
  JARVIS_PASSWORD: 'correct-horse-battery',
  JWT_SECRET: jwtSecret,
  LOG_LEVEL: 'error',
  PORT: '0',
  JARVIS_EMBEDDINGS: 'none',
})
const jarvis = compose(config, '0.0.0-crash', join(dataDir, 'no-dashboard'), {
  model: obedient(),
  tools: [tool],
  database: (database) => observed(database, reach),
})
jarvis.http.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (jarvis.http.address() as AddressInfo).port })
})
