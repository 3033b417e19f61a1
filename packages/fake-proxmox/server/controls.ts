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
    /** The node's statistics daemon ends, or runs again; the node goes on. */
    setStatistics(name: string, isRunning: boolean) {
      const node = world.nodes.get(name)
      if (node === undefined) throw new Error(`no node ${name}`)
      node.isStalled = !isRunning
      world.renewList()
    },
    /** Somebody makes a guest: the list has neither its name nor its figures before it is renewed. */
    addGuest: (made: Parameters<World['add']>[0]) => world.add(made),
    /** `null` takes a field away. @param isListed false: the cluster's list says so only when it is renewed */
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
    /** A task that nobody here asked for, with how it ended. */
    addTask(node: string, type: string, id: string, exitstatus: string) {
      const task = beginTask(world, { node, type, id })
      endTask(world, task, exitstatus)
      return task.upid
    },
    /** The node keeps its /etc/network/interfaces in that file. */
    keepNetworkIn(node: string, path: string) {
      const facts = world.model.host.facts.node(node)
      writeFileSync(path, facts.network.read())
      facts.network = networkOnDisk(path, facts.network.address)
    },
    /** A further token, `id=secret`, with these rights alone. */
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
    /** Every changing request that reached a node, oldest first. */
    changes: () => journal.changes,
    /** How often each `METHOD /path` was asked for. */
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
