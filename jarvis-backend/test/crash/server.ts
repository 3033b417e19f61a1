import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { compose } from '../../src/process.ts'
import { type Broken, type Mutant, mutants } from './mutants.ts'
import { observed } from './observed-database.ts'
import { plannedModel } from './planned-model.ts'
import { connectHomelab } from './remote-homelab.ts'
import { createReach, type Kill } from './steps.ts'

/** The real server, waiting loaded until it is told where to live and when to die. */
export type Start = { dataDir: string; clusterUrl: string; jwtSecret: string; kill?: Kill; mutant?: Mutant }

process.on('disconnect', () => process.exit())
const started = once(process, 'message')
process.send?.('loaded')
const [{ dataDir, clusterUrl, jwtSecret, kill, mutant }] = (await started) as [Start]

const reach = createReach(kill)
const config = readConfig({
  JARVIS_DATA_DIR: dataDir,
  JARVIS_PASSWORD: 'correct-horse-battery',
  JWT_SECRET: jwtSecret,
  LOG_LEVEL: 'error',
  PORT: '0',
})
const broken: Broken = mutant === undefined ? {} : mutants[mutant]
const jarvis = compose(
  config,
  { version: '0.0.0-crash', dashboardDir: join(dataDir, 'no-dashboard') },
  {
    ...broken,
    model: plannedModel(reach),
    homelab: await connectHomelab(clusterUrl, reach),
    database: (database) => observed(broken.database?.(database) ?? database, reach),
  },
)
process.on('SIGTERM', () => {
  void jarvis.stop(5_000).then(() => process.exit(0))
})
jarvis.http.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(jarvis.http.address() as AddressInfo).port}` })
})
