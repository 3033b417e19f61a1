import type { Model } from '../model.ts'
import { guestIn } from '../model.ts'
import { need, type Parts, type Route } from '../route.ts'
import type { BackupJob, FirewallFacts } from './facts.ts'

const audit = () => [need('/', 'Sys.Audit')]
const listOf = (list = '') => list.split(',').map(Number)

/** True if a backup job includes the guest. Like Proxmox, counts disabled jobs too. */
function covers(job: BackupJob, { vmid, node }: { vmid: number; node: string }): boolean {
  if (job.node !== undefined && job.node !== node) return false
  return job.all === 1 ? !listOf(job.exclude).includes(vmid) : listOf(job.vmid).includes(vmid)
}

function haRows({ host }: Model) {
  const nowS = Math.floor(host.now() / 1000)
  const nodes = host.nodes()
  const managed = host.guests().filter(({ isHa }) => isHa)
  const [master] = nodes.filter(({ isOnline }) => isOnline)
  const status = host.isQuorate() ? 'OK' : `No quorum on node '${master?.name ?? ''}'!`
  const quorum = { id: 'quorum', type: 'quorum', node: master?.name, quorate: host.isQuorate() ? 1 : 0, status }
  const fencing = { id: 'fencing', type: 'fencing', status: 'standby (CRM watchdog standby)', 'armed-state': 'standby' }
  if (managed.length === 0) return [quorum, fencing]
  const armed = { ...fencing, status: 'armed (CRM watchdog active)', 'armed-state': 'armed' }
  return [
    quorum,
    armed,
    ...(master === undefined
      ? []
      : [{ id: 'master', type: 'master', node: master.name, status: `${master.name} (active)`, timestamp: nowS - 4 }]),
    ...nodes.map(({ name, isOnline }) => {
      const isBusy = managed.some(({ node }) => node === name)
      const status = isOnline ? `${name} (${isBusy ? 'active' : 'idle'})` : `${name} (old timestamp - dead?)`
      return { id: `lrm:${name}`, type: 'lrm', node: name, status, timestamp: nowS - (isOnline ? 5 : 900) }
    }),
    ...managed.map(({ vmid, type, node, status }) => {
      const sid = `${type === 'qemu' ? 'vm' : 'ct'}:${vmid}`
      const state = status === 'stopped' ? 'stopped' : 'started'
      const row = { id: `service:${sid}`, type: 'service', sid, node, state, crm_state: state, request_state: state }
      return { ...row, status: `${sid} (${node}, ${state})`, failback: 1, max_restart: 1, max_relocate: 1 }
    }),
  ]
}

/** The two routes that read a firewall: options and rules. */
const firewall = (
  place: string,
  needs: Route['needs'],
  of: (model: Model, parts: Parts) => FirewallFacts,
): readonly Route[] =>
  (['options', 'rules'] as const).map((part) => ({
    method: 'GET',
    pattern: new RegExp(`^${place}/firewall/${part}$`),
    allowed: {},
    needs,
    run: (model, parts) => {
      const { options, rules } = of(model, parts)
      return part === 'options' ? options : rules.map((rule, pos) => ({ pos, ...rule }))
    },
  }))

export const clusterRoutes: readonly Route[] = [
  { method: 'GET', pattern: /^\/cluster\/backup$/, allowed: {}, needs: audit, run: ({ host }) => host.facts.jobs },
  {
    method: 'GET',
    pattern: /^\/cluster\/backup-info\/not-backed-up$/,
    allowed: {},
    needs: audit,
    run: ({ host, may }) =>
      host
        .guests()
        .filter((guest) => !host.facts.jobs.some((job) => covers(job, guest)))
        .filter(({ vmid }) => may(need(`/vms/${vmid}`, 'VM.Audit')))
        .map(({ vmid, type, name }) => ({ vmid, type, name })),
  },
  {
    method: 'GET',
    pattern: /^\/cluster\/resources$/,
    allowed: { type: /^vm$/ },
    required: ['type'],
    needs: () => [],
    run: ({ host, may }) =>
      host
        .guests()
        .filter(({ vmid }) => may(need(`/vms/${vmid}`, 'VM.Audit')))
        .map(({ vmid, type, name, node, status, isTemplate, tags }) => ({
          id: `${type}/${vmid}`,
          vmid,
          type,
          name,
          node,
          tags: tags.join(';'),
          status: status === 'stopped' ? 'stopped' : 'running',
          template: isTemplate ? 1 : 0,
        })),
  },
  {
    method: 'GET',
    pattern: /^\/cluster\/config\/qdevice$/,
    allowed: {},
    needs: audit,
    run: ({ host }) => host.facts.qdevice,
  },
  { method: 'GET', pattern: /^\/cluster\/ha\/status\/current$/, allowed: {}, needs: audit, run: haRows },
  {
    method: 'GET',
    pattern: /^\/cluster\/ha\/resources$/,
    allowed: { type: /^(ct|vm)$/ },
    needs: audit,
    run: ({ host }, _parts, { type }) =>
      host
        .guests()
        .filter((guest) => guest.isHa)
        .map((guest) => ({ type: guest.type === 'qemu' ? 'vm' : 'ct', vmid: guest.vmid }))
        .filter((row) => type === undefined || row.type === type)
        .map((row) => ({ sid: `${row.type}:${row.vmid}`, type: row.type, state: 'started', digest: '0'.repeat(40) })),
  },
  ...firewall('/cluster', audit, ({ host }) => host.facts.firewall),
  ...firewall(
    '/nodes/(?<node>[^/]+)',
    ({ node }) => [need(`/nodes/${node}`, 'Sys.Audit')],
    ({ host }, { node = '' }) => host.facts.node(node).firewall,
  ),
  ...firewall(
    '/nodes/(?<node>[^/]+)/(?<type>qemu|lxc)/(?<vmid>\\d+)',
    ({ vmid }) => [need(`/vms/${vmid}`, 'VM.Audit')],
    (model, parts) => model.host.facts.guestFirewalls.get(guestIn(model, parts).vmid) ?? { options: {}, rules: [] },
  ),
]
