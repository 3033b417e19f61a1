import type { Clock } from '../../lib/clock.ts'
import { JarvisError, type Task } from '../../protocol/index.ts'
import type { CallOptions, Shell } from '../ports.ts'
import { ServiceState } from './answers.ts'
import { ApiError } from './failure.ts'
import { followTask } from './follow.ts'
import type { Api } from './transport.ts'
import { parseUpid, statusOf, taskOf } from './upid.ts'

/** What the API restarts; everything else needs a shell. */
export const ofTheApi: ReadonlySet<string> = new Set(
  `chrony corosync cron ksmtuned lxcfs postfix proxmox-firewall pve-cluster pve-firewall pve-ha-crm pve-ha-lrm
  pve-lxc-syscalld pvedaemon pvefw-logger pveproxy pvescheduler pvestatd qmeventd spiceproxy sshd syslog
  systemd-journald systemd-timesyncd`.split(/\s+/),
)

type Outcome = { ok: boolean; message: string }
type Parts = { api: Api; clock: Clock; shell: Shell; noteTask(task: Task): void }

/** @param node one that the cluster names */
export async function restartService(
  parts: Parts,
  node: string,
  service: string,
  options: CallOptions,
): Promise<Outcome> {
  const unit = service.replace(/\.service$/, '')
  // A flag or a path can be no service, whoever asks.
  if (!/^[A-Za-z0-9][A-Za-z0-9@._-]*$/.test(unit)) throw new JarvisError('invalid_request', 'That is no service.')
  return ofTheApi.has(unit) ? byApi(parts, node, unit, options) : byShell(parts.shell, node, unit, options)
}

async function byApi(
  { api, clock, noteTask }: Parts,
  node: string,
  unit: string,
  { signal, onProgress, onTask }: CallOptions,
): Promise<Outcome> {
  let upid: unknown
  try {
    upid = await api.post(['nodes', node, 'services', unit, 'restart'], {}, { signal })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'cluster_refused') throw error
    return { ok: false, message: error.status === 403 ? error.message : `${error.words}.` }
  }
  const task = parseUpid(upid)
  if (typeof upid !== 'string' || task === undefined) {
    throw new JarvisError(
      'outcome_unknown',
      `Proxmox took the restart of ${unit} and named no task: whether it was carried out is not known.`,
    )
  }
  onTask?.(upid)
  onProgress?.(`Task ${task.type} running`)
  const [begun] = taskOf({ upid })
  if (begun !== undefined) noteTask(begun)
  const exitStatus = await followTask(api, upid, task, { clock, signal, ...(onProgress && { onProgress }) })
  const status = statusOf(exitStatus)
  if (begun !== undefined) noteTask({ ...begun, status, exitStatus, endedAt: clock.now() })
  if (status === 'failed') return { ok: false, message: `its task ended: ${exitStatus}.` }
  return seenActive(api, node, unit, signal)
}

async function seenActive(api: Api, node: string, unit: string, signal: AbortSignal): Promise<Outcome> {
  try {
    const seen = ServiceState.parse(await api.get(['nodes', node, 'services', unit, 'state'], {}, { signal }))
    const active = seen['active-state'] ?? (seen.state === 'running' ? 'active' : (seen.state ?? 'unknown'))
    return { ok: active === 'active', message: `${unit}.service is ${active} (${seen.state ?? 'unknown'}).` }
  } catch {
    if (signal.aborted) throw signal.reason
    return { ok: true, message: `its task ended OK; its state could not be read afterwards.` }
  }
}

async function byShell(shell: Shell, node: string, unit: string, options: CallOptions): Promise<Outcome> {
  const name = `${unit}.service`
  const restart = await shell.run(node, [['systemctl', 'restart', '--', name]], options)
  const words = (restart.stderr.trim() || restart.stdout.trim()).split('\n', 1)[0] ?? ''
  if (restart.exitCode !== 0) return { ok: false, message: words || `systemctl ended with ${restart.exitCode}.` }
  const state = await shell.run(node, [['systemctl', 'is-active', '--', name]], options)
  const active = state.stdout.trim() || 'unknown'
  return { ok: active === 'active', message: `${name} is ${active}.` }
}
