import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { compose } from './compose.ts'
import { type Config, ConfigError } from './config/config.ts'
import { loadEnv, readNextConfig, readStartConfig } from './config/settings-file.ts'
import { DatabaseRefused } from './store/sqlite/database.ts'
import { version } from './version.ts'

const graceMs = 10_000
/** EX_TEMPFAIL: what started this starts it again. */
const restartCode = 75

const outside = { ...process.env }

try {
  loadEnv()
  const config = readStartConfig(process.env)
  const dashboardDir = fileURLToPath(new URL('../../jarvis-frontend/dist', import.meta.url))
  let isStopping = false
  let code = 0
  const stop = () => {
    if (isStopping) return
    isStopping = true
    jarvis.stop(graceMs).then(
      () => process.exit(code),
      (error: unknown) => fail(String(error), code === 0 ? 1 : code),
    )
  }
  const restart = () => {
    code = restartCode
    stop()
  }
  const jarvis = compose(config, version, dashboardDir, {
    nextConfig: () => readNextConfig(outside),
    ...(config.isSupervised && { restart }),
  })
  jarvis.http.on('error', (error: NodeJS.ErrnoException) => {
    fail(listenProblem(error, config))
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
    const cluster = config.proxmox === undefined ? 'the built-in demo' : config.proxmox.urls.join(', ')
    console.log(`Model: ${jarvis.modelId}. Cluster: ${cluster}.`)
  })

  let isTold = false
  const end = () => {
    // A second signal does not wait.
    if (isTold) process.exit(1)
    isTold = true
    code = 0
    stop()
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  if (config.isSupervised) {
    // Who started this ends it so, or is gone: `scripts/start.js` may get the same signal, and it must not count twice.
    const left = () => {
      code = 0
      stop()
    }
    process.on('disconnect', left)
    if (process.connected === false) left()
  }
} catch (error) {
  if (error instanceof ConfigError || error instanceof DatabaseRefused) fail(error.message)
  throw error
}

function listenProblem(error: NodeJS.ErrnoException, { host, port }: Config): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `PORT ${port} is in use. Stop what listens there, or choose another, for example PORT=4001.`
    case 'EACCES':
      return `PORT ${port} may only be opened by root. Choose one above 1023, for example PORT=4000.`
    case 'ENOTFOUND':
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return `HOST ${host} is no address of this machine. Use one that is, for example HOST=127.0.0.1 or HOST=0.0.0.0.`
    default:
      return error.message
  }
}

function fail(message: string, code = 1): never {
  console.error(message)
  process.exit(code)
}
