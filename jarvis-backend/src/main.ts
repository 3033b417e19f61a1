import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { compose } from './compose.ts'
import { ConfigError, readConfig } from './config/config.ts'
import { DatabaseRefused } from './store/sqlite/database.ts'
import { version } from './version.ts'

const graceMs = 10_000

try {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = readConfig(process.env)
  const dashboardDir = fileURLToPath(new URL('../../jarvis-frontend/dist', import.meta.url))
  const jarvis = compose(config, version, dashboardDir)
  jarvis.http.on('error', (error: NodeJS.ErrnoException) => {
    const inUse = error.code === 'EADDRINUSE'
    fail(
      inUse
        ? `Port ${config.port} is in use. Stop what listens there, or set PORT, for example PORT=4001.`
        : error.message,
    )
  })
  jarvis.http.listen(config.port, config.host, () => {
    const { port } = jarvis.http.address() as AddressInfo
    const host = config.host.includes(':') ? `[${config.host}]` : config.host
    console.log(`JARVIS ${version} is at http://${host}:${port}`)
    if (jarvis.newPassword !== undefined) {
      console.log(`Password: ${jarvis.newPassword}  (made now, shown this once; JARVIS_PASSWORD sets another)`)
    } else {
      console.log(
        config.password === undefined
          ? 'Sign in with the password of the first start.'
          : 'Sign in with JARVIS_PASSWORD.',
      )
    }
    console.log(`Model: ${jarvis.modelId}. Cluster: the built-in demo.`)
  })

  let isStopping = false
  const stop = () => {
    // A second signal does not wait.
    if (isStopping) process.exit(1)
    isStopping = true
    jarvis.stop(graceMs).then(
      () => process.exit(0),
      (error: unknown) => fail(String(error)),
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
} catch (error) {
  if (error instanceof ConfigError || error instanceof DatabaseRefused) fail(error.message)
  throw error
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
