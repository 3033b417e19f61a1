import { createServer } from 'node:net'
import type { DoctorCheck } from 'protocol'
import { type Config, isLoopback } from '../config/config.ts'
import { bad, ok, warn } from './check.ts'

type Listening = Pick<Config, 'host' | 'port' | 'allowedHosts'>

/** Checks who can open the dashboard, and under which names. */
export function hostChecks({ host, allowedHosts }: Listening): DoctorCheck[] {
  const names = allowedHosts.length === 0 ? '' : ` Names: ${allowedHosts.join(', ')}.`
  if (isLoopback(host)) return [ok('Address', `Only this machine can open the dashboard (HOST ${host}).${names}`)]
  const text = `Others on the network can open the dashboard (HOST ${host}), by address.${names}`
  if (allowedHosts.length > 0) return [ok('Address', text)]
  return [warn('Address', text, 'To open it by name, add the name to JARVIS_ALLOWED_HOSTS, for example jarvis.lan')]
}

/** Checks that the port is free, or that JARVIS itself uses it. */
export async function portChecks({ host, port }: Listening, signal: AbortSignal): Promise<DoctorCheck[]> {
  const problem = await bindProblem(host, port)
  switch (problem) {
    case undefined:
      return [ok('Port', `${port} is free; JARVIS does not run.`)]
    case 'EADDRINUSE':
      return (await isJarvis(host, port, signal))
        ? [ok('Port', `JARVIS serves at ${port}.`)]
        : [bad('Port', `Something else listens at ${port}.`, 'Stop it, or choose another, for example PORT=4001.')]
    case 'EACCES':
      return [bad('Port', `${port} may only be opened by root.`, 'Choose one above 1023, for example PORT=4000.')]
    default:
      return [bad('Port', `HOST ${host} is no address of this machine.`, 'Use HOST=127.0.0.1 or HOST=0.0.0.0.')]
  }
}

function bindProblem(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

async function isJarvis(host: string, port: number, signal: AbortSignal): Promise<boolean> {
  const [name] =
    host === '0.0.0.0' ? ['127.0.0.1'] : host === '::' ? ['[::1]'] : [host.includes(':') ? `[${host}]` : host]
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(3_000)])
    const response = await fetch(`http://${name}:${port}/health`, { signal: late })
    const { version, uptime } = (await response.json()) as { version?: unknown; uptime?: unknown }
    return typeof version === 'string' && typeof uptime === 'number'
  } catch {
    return false
  }
}
