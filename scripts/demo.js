import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeDemoWorkbench } from './demo-workbench.js'

// The demo as it was at first, whatever is connected: what stands here counts before .env, and in a folder of its own nothing
// is saved that would lead to a real cluster.
for (const name of ['PVE_URL', 'PVE_TOKEN_ID', 'PVE_TOKEN_SECRET', 'PVE_FINGERPRINT', 'PVE_CA_FILE'])
  process.env[name] = ''
process.env.JARVIS_MODEL = 'demo'
process.env.JARVIS_DATA_DIR ??= join(homedir(), '.jarvis-demo')
const problem = makeDemoWorkbench(resolve(process.env.JARVIS_DATA_DIR))
if (problem !== undefined) console.warn(problem)

await import('./start.js')
