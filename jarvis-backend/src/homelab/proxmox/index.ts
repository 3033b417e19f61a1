import type { Cluster, Consoles, PveApi, Shell } from 'homelab-ports/ports'
import { sleep } from 'node-kit/clock'
import type { Clock } from '../../lib/clock.ts'
import { restartService } from '../operations/restart-service.ts'
import { createTaskReasons } from '../operations/task-reasons.ts'
import { readQuorum, withQuorum } from '../quorum.ts'
import { readBackups } from './backups.ts'
import { createConsoles } from './consoles.ts'
import { storageNodes } from './details.ts'
import { readHistory } from './history.ts'
import { nodeDetail } from './node-detail.ts'
import { power } from './power.ts'
import type { Host } from './self.ts'
import { Sight } from './sight.ts'
import { readTasks } from './tasks.ts'
import { readTemperature } from './temperature.ts'
import { type Api, type Connection, type Deadlines, Transport } from './transport.ts'
import { readUnit } from './unit.ts'

export { adviceOn } from './connect.ts'
export { type EntryReport, type Inspection, inspectCluster, type SeenNode } from './inspect.ts'
export { type Probe, probeEntry } from './probe.ts'
export { type Connection, Transport, usualDeadlines } from './transport.ts'

export type ProxmoxOptions = {
  connection: Connection
  /** The restore drill has a token of its own. */
  drillToken?: Pick<Connection, 'tokenId' | 'tokenSecret'> | undefined
  /** SSH, for temperatures and for services that the API cannot restart. */
  shell: Shell
  clock: Clock
  /** Protected targets such as `node/agent1`, `vm/101`, `ct/104`. They are only shown as protected; the gate enforces the protection. */
  protectedTargets: ReadonlySet<string>
  host?: Host
  deadlines?: Deadlines
}

/** A real cluster. `addressOf`: returns a node's address if the cluster knows it. */
type Proxmox = Cluster & {
  api: PveApi
  drillApi: PveApi | undefined
  consoles: Consoles
  addressOf(node: string): string | undefined
}

/** Connects a real cluster through its API, and begins to read it. */
export function createProxmox(options: ProxmoxOptions): Proxmox {
  const { shell, clock, deadlines } = options
  const now = () => clock.now()
  const api = new Transport(options.connection, now, deadlines)
  const drillApi = options.drillToken && new Transport({ ...options.connection, ...options.drillToken }, now, deadlines)
  const sight = new Sight({ ...options, api })
  const { known } = sight
  const withReasons = createTaskReasons(api)
  const pve = guarded(api, { sight, clock, quorumBy: api })

  return {
    api: pve,
    consoles: createConsoles(api, clock),
    drillApi: drillApi && guarded(drillApi, { sight, clock, quorumBy: api }),
    state: () => sight.state(),
    catchUp: (vmid) => sight.catchUp(vmid),
    timeThere(at) {
      const offMs = api.clockOffMs()
      return offMs === undefined ? undefined : at + offMs
    },
    readAfresh: (vmid) => sight.readAfresh(vmid),
    watch: (listener, pace) => sight.watch(listener, pace),
    marks: (vmid) => known.marks.get(vmid),
    knownBackups: () => ({ items: known.backups, isWhole: known.areBackupsWhole }),
    writerOf: (storage) => known.writers.get(storage),
    async nodeDetail(name, { signal }) {
      return nodeDetail(api, await sight.onlineNode(name, signal), { signal, mostMs: deadlines?.answerMs })
    },
    async temperature(name, callOptions) {
      return readTemperature(shell, await sight.onlineNode(name, callOptions.signal), callOptions)
    },
    async tasks(query, { signal }) {
      if (query.node !== undefined) await sight.nodeNamed(query.node, signal)
      const state = await sight.recent(signal)
      const source = { api, rights: known.rights, own: [...known.ownTasks.values()], state }
      return withReasons(await readTasks(source, query, signal), signal)
    },
    async backups(query, { signal }) {
      if (query.node !== undefined) await sight.nodeNamed(query.node, signal)
      const state = await sight.recent(signal)
      return readBackups({ api, rights: known.rights, seen: storageNodes(known), state }, query, signal)
    },
    history: (span, callOptions) =>
      readHistory({ api, state: sight.state(), storageNodes: storageNodes(known), now: now() }, span, callOptions),
    power: (request, callOptions) => power({ api: pve, sight }, request, callOptions),
    async unit(name, service, { signal }) {
      return readUnit({ api, shell }, { node: await sight.onlineNode(name, signal), service }, signal)
    },
    async restartService(name, service, callOptions) {
      const node = await sight.onlineNode(name, callOptions.signal)
      return restartService({ api: pve, shell }, { node, service }, callOptions)
    },
    addressOf: (node) => known.reading?.status?.find(({ type, name }) => type === 'node' && name === node)?.ip,
    close() {
      sight.close()
      api.close()
      drillApi?.close()
    },
  }
}

/** The API for the rest of JARVIS: sends no change without a quorum, and records the results of JARVIS's own requests. */
function guarded(api: Api, { sight, clock, quorumBy }: { sight: Sight; clock: Clock; quorumBy: Api }): PveApi {
  return {
    get: (path, query, ask) => api.get(path, query, ask),
    change: withQuorum(
      (request, ask) => api.change(request, ask),
      (signal) => readQuorum(quorumBy, signal),
    ),
    now: () => clock.now(),
    wait: (ms, signal) => sleep(clock, ms, signal),
    noteTask(task) {
      sight.known.ownTasks.set(task.upid, task)
      sight.changed()
    },
    noteResult: (request, signal) => sight.noteResult(request, signal),
  }
}
