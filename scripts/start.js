import './node-release.js'
import './keep-compiled.js'
import { buildMissing } from './build.js'

await buildMissing()
await import('../jarvis-backend/dist/main.js')
