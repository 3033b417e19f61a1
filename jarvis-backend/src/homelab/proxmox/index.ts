import { asFarAsSeen, JarvisError } from 'protocol'
import { type Clock, sleep } from '../../lib/clock.ts'
import { restartService } from '../operations/restart-service.ts'
import { createTaskReasons } from '../operations/task-reasons.ts'
import type { Cluster, Consoles, PveApi, Shell } from '../ports.ts'
import { emptyLine } from '../pve/rights.ts'
import { readQuorum, withQuorum } from '../quorum.ts'
import { readBackups } from './backups.ts'
import { createConsoles } from './consoles.ts'
import { storageNodes } from './details.ts'
import { readHistory } from './history.ts'
import { nodeDetail } from './node-detail.ts'
import { type PowerParts, power } from './power.ts'
import type { Host } from './self.ts'
import { createSight } from './sight.ts'
import { readTasks } from './tasks.ts'
import { readTemperature } from './temperature.ts'
import { type Connection, createTransport, type Deadlines } from './transport.ts'
import { readUnit } from './unit.ts'

export { adviceOn } from './connect.ts'
export { type EntryReport, type Inspection, inspectCluster, type SeenNode } from './inspect.ts'
export { type Probe, probeEntry } from './probe.ts'
export { type Connection, createTransport, usualDeadlines } from './transport.ts'

export type ProxmoxOptions = {
  connection: Connection
  /** The restore drill's own token. */
  drillToken?: Pick<Connection, 'tokenId' | 'tokenSecret'> | undefined
  /** For temperatures, and services that the API cannot restart. */
  shell: Shell
  clock: Clock
  /** `node/agent1`, `vm/101`, `ct/104`: only shown as protected, not enforced here. */
  protectedTargets: ReadonlySet<string>
  host?: Host
  deadlines?: Deadlines
}

/** A real cluster through its API. `addressOf`: a node's address, if the cluster knows it. */
export function createProxmox(
  options: ProxmoxOptions,
): Cluster & { api: PveApi; drillApi?: PveApi; consoles: Consoles; addressOf(node: string): string | undefined } {
  const { shell, clock } = options
  const now = () => clock.now()
  const api = createTransport(options.connection, now, options.deadlines)
  const drillApi =
    options.drillToken && createTransport({ ...options.connection, ...options.drillToken }, now, options.deadlines)
  const sight = createSight({ ...options, api, now })
  const { known, recent, onlineNode, nodeNamed, changed, state } = sight

  const find: PowerParts['find'] = async (vmid, signal) => {
    await sight.lookUnlessJustNow(vmid, signal)
    const { guests, nodes, hidden } = state()
    const guest = guests.find((candidate) => candidate.vmid === vmid)
    if (guest === undefined) {
      const blind =
        guests.length === 0 ? emptyLine(known.rights, ' Guests', 'VM.Audit', '/vms').map((line) => `${line}.`) : []
      throw new JarvisError(
        'not_found',
        `There is no guest ${vmid}${asFarAsSeen('guests', { hidden })}.${blind.join('')}`,
      )
    }
    if (nodes.find(({ name }) => name === guest.node)?.status === 'offline') {
      throw new JarvisError('cluster_unreachable', `${guest.node} is offline, and ${vmid} is on it. Nothing was done.`)
    }
    return { vmid, node: guest.node, type: guest.type, name: guest.name, isHa: guest.isHa }
  }

  const withReasons = createTaskReasons(api)
  const isQuorate = (signal: AbortSignal) => readQuorum(api, signal)
  const pve: PveApi = {
    get: api.get,
    change: withQuorum(api.change, isQuorate),
    now,
    wait: (ms, signal) => sleep(clock, ms, signal),
    noteTask(task) {
      known.ownTasks.set(task.upid, task)
      changed()
    },
    noteResult: sight.noteResult,
  }

  return {
    api: pve,
    consoles: createConsoles(api, clock),
    ...(drillApi && { drillApi: { ...pve, get: drillApi.get, change: withQuorum(drillApi.change, isQuorate) } }),
    state,
    catchUp: sight.catchUp,
    timeThere(at) {
      const offMs = api.clockOffMs()
      return offMs === undefined ? undefined : at + offMs
    },
    readAfresh: sight.readAfresh,
    watch: sight.watch,
    marks: (vmid) => known.marks.get(vmid),
    knownBackups: () => ({ items: known.backups, isWhole: known.areBackupsWhole }),
    writerOf: (storage) => known.writers.get(storage),
    async nodeDetail(name, { signal }) {
      return nodeDetail(api, await onlineNode(name, signal), { signal, mostMs: options.deadlines?.answerMs })
    },
    async temperature(name, callOptions) {
      return readTemperature(shell, await onlineNode(name, callOptions.signal), callOptions)
    },
    async tasks(query, { signal }) {
      if (query.node !== undefined) await nodeNamed(query.node, signal)
      const current = await recent(signal)
      const source = { api, rights: known.rights, own: [...known.ownTasks.values()] }
      return withReasons(await readTasks(source, current, query, signal), signal)
    },
    async backups(query, { signal }) {
      if (query.node !== undefined) await nodeNamed(query.node, signal)
      const current = await recent(signal)
      return readBackups({ api, rights: known.rights, seen: storageNodes(known) }, current, query, signal)
    },
    history: (span, callOptions) =>
      readHistory({ api, state: state(), storageNodes: storageNodes(known), now: now() }, span, callOptions),
    power: (vmid, action, force, callOptions) =>
      power(
        {
          api: pve,
          find,
          noteGuest(id, seen) {
            known.sightings.set(id, seen)
            changed()
          },
        },
        vmid,
        action,
        force,
        callOptions,
      ),
    async unit(name, service, { signal }) {
      return readUnit({ api, shell }, await onlineNode(name, signal), service, signal)
    },
    async restartService(name, service, callOptions) {
      const node = await onlineNode(name, callOptions.signal)
      return restartService({ api: pve, shell }, node, service, callOptions)
    },
    addressOf: (node) => known.reading?.status?.find(({ type, name }) => type === 'node' && name === node)?.ip,
    close() {
      sight.close()
      api.close()
      drillApi?.close()
    },
  }
}
