import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type Config, ConfigError } from './config/config.ts'
import { loadEnv, readInForce, readNextConfig, readStartConfig } from './config/settings-file.ts'
import { surviveLostOutput } from './lib/log-sink.ts'
import { nativeProblem } from './lib/native-problem.ts'
import { readProxies } from './lib/proxies.ts'
import { goOutBy } from './lib/way-out.ts'
import { compose, demoFor, type Jarvis } from './process.ts'
import { DatabaseRefused } from './store/sqlite/database.ts'
import { version } from './version.ts'

const graceMs = 10_000
const dashboardDir = fileURLToPath(new URL('../../jarvis-frontend/dist', import.meta.url))
const outside = { ...process.env }

let jarvis: Jarvis
let closed: Promise<void> | undefined
let isEnding = false

surviveLostOutput()
await serve(() => {
  loadEnv()
  return readStartConfig(process.env)
})
process.on('SIGTERM', end)
process.on('SIGINT', end)

async function serve(read: () => Config): Promise<void> {
  try {
    const config = read()
    await goOutBy(readProxies(config.proxies))
    jarvis = compose(
      config,
      { version, dashboardDir },
      {
        demo: await demoFor(config),
        program: {
          nextConfig: () => readNextConfig(outside),
          settings: () => readInForce(process.env, outside),
          restart,
        },
      },
    )
    closed = undefined
    jarvis.http.on('error', (error: NodeJS.ErrnoException) => fail(listenProblem(error, config)))
    jarvis.http.listen(config.port, config.host, () => introduce(config))
  } catch (error) {
    if (error instanceof ConfigError || error instanceof DatabaseRefused) fail(error.message)
    const native = nativeProblem(error)
    if (native !== undefined) fail(native)
    throw error
  }
}

function introduce(config: Config) {
  const { port } = jarvis.http.address() as AddressInfo
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  console.log(`JARVIS ${version} is at http://${host}:${port}`)
  if (jarvis.newPassword !== undefined) {
    console.log(`Password: ${jarvis.newPassword}  (made now, shown this once; JARVIS_PASSWORD sets another)`)
  } else {
    console.log(
      config.password === undefined ? 'Sign in with the password of the first start.' : 'Sign in with JARVIS_PASSWORD.',
    )
  }
  const cluster = config.proxmox === undefined ? 'the built-in demo' : config.proxmox.urls.join(', ')
  console.log(`Model: ${jarvis.modelId}. Cluster: ${cluster}.`)
}

/** Restarts within this process, so that a restart works the same under every service manager. */
function restart() {
  void close().then(() => {
    return isEnding ? undefined : serve(() => readNextConfig(outside))
  })
}

function end() {
  // A second signal ends the process at once.
  if (isEnding) process.exit(1)
  isEnding = true
  void close().then(() => process.exit(0))
}

function close(): Promise<void> {
  closed ??= jarvis.stop(graceMs).catch((error: unknown) => fail(String(error)))
  return closed
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

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
