import { writeFileSync } from 'node:fs'
import { createModelControls } from '../src/pve-model/controls.ts'
import type { Model } from '../src/pve-model/model.ts'
import type { createFakeConsoles } from './consoles.ts'
import { networkOnDisk } from './network-on-disk.ts'
import { beginTask, endTask } from './power.ts'
import type { FakeRights } from './rights.ts'
import type { Scene } from './routes.ts'
import type { Fault, Journal } from './server.ts'
import type { FakeGuest, FakeNode, FakeStorage, World } from './world.ts'

/** Changes that a test makes to the fake cluster from outside. */
export function createControls(world: World & { model: Model }, journal: Journal, faults: Fault[]) {
  let rights: FakeRights
  const guest = (vmid: number): FakeGuest => {
    const found = world.guests.get(vmid)
    if (found === undefined) throw new Error(`no guest ${vmid}`)
    return found
  }
  const controls = {
    ...createModelControls(world.model),
    setNode(name: string, isOnline: boolean, away: FakeNode['away'] = 'unreachable') {
      const node = world.nodes.get(name)
      if (node === undefined) throw new Error(`no node ${name}`)
      node.lostAt = isOnline ? undefined : world.now()
      node.away = away
      if (isOnline) world.renewList()
    },
    /** Stops or starts the node's statistics daemon (pvestatd). The node itself keeps running. */
    setStatistics(name: string, isRunning: boolean) {
      const node = world.nodes.get(name)
      if (node === undefined) throw new Error(`no node ${name}`)
      node.isStalled = !isRunning
      world.renewList()
    },
    /** Adds a guest, as somebody else would. Until the cluster's list is renewed, it has neither its name nor its values. */
    addGuest: (made: Parameters<World['add']>[0]) => world.add(made),
    /** Changes fields of a guest; `null` removes a field. @param isListed false: the cluster's list shows the change only after its next renewal */
    changeGuest(vmid: number, change: Record<string, unknown>, isListed = true) {
      const fields = guest(vmid) as unknown as Record<string, unknown>
      for (const [key, value] of Object.entries(change)) {
        if (value === null) delete fields[key]
        else fields[key] = value
      }
      if (isListed && ['status', 'name', 'mem'].some((key) => key in change)) world.renewList()
    },
    changeStorage(name: string, change: Partial<FakeStorage>) {
      const found = world.storages.find((storage) => storage.name === name)
      if (found === undefined) throw new Error(`no storage ${name}`)
      Object.assign(found, change)
    },
    /** Adds a finished task that JARVIS did not start. @param exitstatus its outcome */
    addTask(about: { node: string; type: string; id: string }, exitstatus: string) {
      const task = beginTask(world, about)
      endTask(world, task, exitstatus)
      return task.upid
    },
    /** Stores the node's /etc/network/interfaces in the file `path`. */
    keepNetworkIn(node: string, path: string) {
      const facts = world.model.host.facts.node(node)
      writeFileSync(path, facts.network.read())
      facts.network = networkOnDisk(path, facts.network.address)
    },
    /** Adds a further token, `id=secret`, that has only these rights. */
    addToken: (token: string, given: NonNullable<FakeRights>) => void journal.tokens.set(token, given),
    setRights(given: FakeRights | null) {
      rights = given ?? undefined
    },
    addFault(fault: Fault) {
      faults.push(fault)
    },
    clearFaults() {
      faults.length = 0
    },
    /** All requests with a changing method that reached a node, oldest first. */
    changes: () => journal.changes,
    /** The number of requests for each `METHOD /path`. */
    requests: () => Object.fromEntries(journal.requests),
    forgetRequests: () => journal.requests.clear(),
    guest,
  }
  return { controls, scene: (entryNode: string): Scene => ({ world, rights, entryNode }) }
}

export type Controls = ReturnType<typeof createControls>['controls'] &
  ReturnType<typeof createFakeConsoles>['controls'] & {
    closeEntry(index: number): void
    /** @returns the new fingerprint. */
    renewCertificate(index: number): Promise<string>
  }
