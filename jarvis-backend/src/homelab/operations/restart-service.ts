import type { CallOptions, PveApi, Shell } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'
import { ServiceState } from '../pve/answers.ts'
import { runTask } from './run-task.ts'

/** Services that the API can restart. Other services need a shell. */
export const ofTheApi: ReadonlySet<string> = new Set(
  `chrony corosync cron ksmtuned lxcfs postfix proxmox-firewall pve-cluster pve-firewall pve-ha-crm pve-ha-lrm
  pve-lxc-syscalld pvedaemon pvefw-logger pveproxy pvescheduler pvestatd qmeventd spiceproxy sshd syslog
  systemd-journald systemd-timesyncd`.split(/\s+/),
)

type Outcome = { ok: boolean; message: string }
type Parts = { api: PveApi; shell: Shell }
/** A unit, without `.service`, and its node by the cluster's name. */
type Unit = { node: string; unit: string }

/** Restarts a service. @param at.node the node's name in the cluster */
export async function restartService(
  parts: Parts,
  { node, service }: { node: string; service: string },
  options: CallOptions,
): Promise<Outcome> {
  const unit = service.replace(/\.service$/, '')
  // The name must not be read as an option or a path.
  if (!/^[A-Za-z0-9][A-Za-z0-9@._-]*$/.test(unit))
    throw new JarvisError('invalid_request', 'A service has letters, digits and @._-, for example pveproxy.')
  return ofTheApi.has(unit) ? byApi(parts.api, { node, unit }, options) : byShell(parts.shell, { node, unit }, options)
}

async function byApi(api: PveApi, { node, unit }: Unit, options: CallOptions): Promise<Outcome> {
  const request = { path: ['nodes', node, 'services', unit, 'restart'], what: `the restart of ${unit}` }
  const { exitStatus, ok, refused } = await runTask(api, request, options)
  if (refused?.status === 403) return { ok: false, message: refused.message }
  const seen = await seenActive(api, { node, unit }, options.signal)
  const state = seen?.message ?? 'its state could not be read afterwards.'
  if (refused !== undefined) return { ok: false, message: `${exitStatus}. Afterwards: ${state}` }
  if (!ok) return { ok: false, message: `its task ended: ${exitStatus}. Afterwards: ${state}` }
  return seen ?? { ok: true, message: `its task ended OK; ${state}` }
}

/** Returns the service's state after the restart; undefined if the state cannot be read. */
async function seenActive(api: PveApi, { node, unit }: Unit, signal: AbortSignal): Promise<Outcome | undefined> {
  try {
    const seen = ServiceState.parse(await api.get(['nodes', node, 'services', unit, 'state'], {}, { signal }))
    const active = seen['active-state'] ?? (seen.state === 'running' ? 'active' : (seen.state ?? 'unknown'))
    return { ok: active === 'active', message: `${unit}.service is ${active} (${seen.state ?? 'unknown'}).` }
  } catch {
    if (signal.aborted) throw signal.reason
    return undefined
  }
}

async function byShell(shell: Shell, { node, unit }: Unit, options: CallOptions): Promise<Outcome> {
  const name = `${unit}.service`
  const restart = await shell.run(node, [['systemctl', 'restart', '--', name]], options)
  const words = (restart.stderr.trim() || restart.stdout.trim()).split('\n', 1)[0] ?? ''
  const asked = shell.run(node, [['systemctl', 'is-active', '--', name]], options)
  if (restart.exitCode === 0) {
    const active = (await asked).stdout.trim() || 'unknown'
    return { ok: active === 'active', message: `${name} is ${active}.` }
  }
  const active = await asked.then(
    ({ stdout }) => stdout.trim() || 'unknown',
    () => 'unknown',
  )
  if (options.signal.aborted) throw options.signal.reason
  const failed = words === '' ? `systemctl ended with ${restart.exitCode}.` : words
  return { ok: false, message: `${failed} Afterwards: ${name} is ${active}.` }
}
