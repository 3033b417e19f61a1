import type { ClusterState } from 'protocol'
import type { createSimulator } from './simulator.ts'

type Simulator = ReturnType<typeof createSimulator>
/** Replaces the text at `path` (`guests[].name`, `shell.stdout`). */
export type Doctor = (text: string, path: string) => string

/** Names and enumerations: with other values the cluster would be another. */
const structural =
  /(?:^|\.)(?:status|node|upid|vmid|kind)$|nodes\[\]\.name$|guests\[\]\.type$|^(?:power|tasks)\.upid$|storages\[\]\.node$/

/** The demo cluster, with texts in what it answers replaced wherever others could write them. */
export function doctored(homelab: Simulator, doctor: Doctor): Simulator {
  const { cluster, shell } = homelab
  const walk = <T>(value: T, path: string): T => {
    if (typeof value === 'string') return (structural.test(path) ? value : doctor(value, path)) as T
    if (Array.isArray(value)) return value.map((item) => walk(item, `${path}[]`)) as T
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, walk(member, path === '' ? key : `${path}.${key}`)]),
    ) as T
  }
  // The same state stays the same object, as the port promises its watchers.
  const states = new WeakMap<ClusterState, ClusterState>()
  const state = () => {
    const real = cluster.state()
    const known = states.get(real)
    if (known !== undefined) return known
    const made = walk(real, '')
    states.set(real, made)
    return made
  }
  return {
    ...homelab,
    cluster: {
      ...cluster,
      state,
      nodeDetail: async (...args) => walk(await cluster.nodeDetail(...args), 'nodeDetail'),
      temperature: async (...args) => walk(await cluster.temperature(...args), 'temperature'),
      tasks: async (...args) => walk(await cluster.tasks(...args), 'tasks'),
      backups: async (...args) => walk(await cluster.backups(...args), 'backups'),
      power: async (...args) => walk(await cluster.power(...args), 'power'),
      restartService: async (...args) => walk(await cluster.restartService(...args), 'restartService'),
    },
    shell: { ...shell, run: async (...args) => walk(await shell.run(...args), 'shell') },
  }
}

/** Every path that `doctored` offers, as found by asking the cluster for all it knows. */
export async function pathsOf(homelab: Simulator): Promise<string[]> {
  const paths = new Set<string>()
  const noting = doctored(homelab, (text, path) => {
    paths.add(path)
    return text
  })
  const options = { signal: new AbortController().signal }
  noting.cluster.state()
  await noting.cluster.nodeDetail('pve', options)
  await noting.cluster.temperature('pve', options)
  await noting.cluster.tasks({ limit: 200 }, options)
  await noting.cluster.backups({}, options)
  await noting.cluster.restartService('pve', 'pvestatd', options)
  await noting.cluster.power({ vmid: 103, action: 'restart' }, options)
  await noting.shell.run('pve', [['cat', '/etc/hostname', '/nowhere']], options)
  return [...paths].sort()
}
