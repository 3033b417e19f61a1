import { z } from 'zod'
import type { Homelab } from '../homelab/ports.ts'
import { type Limits, usualLimits } from '../protocol/index.ts'
import { executeSsh } from './homelab/execute-ssh.ts'
import { getBackups } from './homelab/get-backups.ts'
import { getClusterResources } from './homelab/get-cluster-resources.ts'
import { getClusterStatus } from './homelab/get-cluster-status.ts'
import { getContainers } from './homelab/get-containers.ts'
import { getNodeStatus } from './homelab/get-node-status.ts'
import { getNodeTemperature } from './homelab/get-node-temperature.ts'
import { getRecentTasks } from './homelab/get-recent-tasks.ts'
import { getStorage } from './homelab/get-storage.ts'
import { getVms } from './homelab/get-vms.ts'
import { restartContainer } from './homelab/restart-container.ts'
import { restartService } from './homelab/restart-service.ts'
import { restartVm } from './homelab/restart-vm.ts'
import { startContainer } from './homelab/start-container.ts'
import { startVm } from './homelab/start-vm.ts'
import { stopContainer } from './homelab/stop-container.ts'
import { stopVm } from './homelab/stop-vm.ts'
import { wakeNode } from './homelab/wake-node.ts'
import type { Tool } from './tool.ts'

/** The eighteen tools over a homelab. Their order is fixed: it is part of what a provider caches. */
export const homelabTools = ({ cluster, shell, waker }: Homelab, limits: () => Limits = () => usualLimits): Tool[] => [
  getClusterStatus(cluster, limits),
  getNodeStatus(cluster),
  getVms(cluster),
  getContainers(cluster),
  getStorage(cluster),
  getClusterResources(cluster),
  getNodeTemperature(cluster, limits),
  getRecentTasks(cluster),
  getBackups(cluster, limits),
  executeSsh(shell),
  restartService(cluster),
  wakeNode(waker),
  startVm(cluster),
  stopVm(cluster),
  restartVm(cluster),
  startContainer(cluster),
  stopContainer(cluster),
  restartContainer(cluster),
]

export type Catalog = { list(): readonly Tool[]; get(name: string): Tool | undefined }

/** @throws Error where two tools have one name. */
export function createCatalog(tools: readonly Tool[]): Catalog {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size !== tools.length) throw new Error('Two tools have the same name.')
  const listed = [...tools]
  return { list: () => listed, get: (name) => byName.get(name) }
}

/**
 * The house's tools first, then those of attached servers by name, so that what a provider caches stays as it is.
 * @param attached another array whenever they have changed
 */
export function withAttached(house: Catalog, attached: () => readonly Tool[]): Catalog {
  let made: { from: readonly Tool[]; catalog: Catalog } | undefined
  const current = () => {
    const from = attached()
    if (made?.from !== from) {
      const own = from.filter(({ name }) => house.get(name) === undefined)
      made = { from, catalog: createCatalog([...house.list(), ...own.toSorted((a, b) => (a.name < b.name ? -1 : 1))]) }
    }
    return made.catalog
  }
  return { list: () => current().list(), get: (name) => current().get(name) }
}

const schemas = new WeakMap<z.ZodObject, Record<string, unknown>>()

/** The tool's input as JSON schema, made once. */
export const inputSchemaOf = ({ input, attached }: Tool): Record<string, unknown> =>
  attached?.inputSchema ?? schemaOf(input)

/** What its `data` holds, as JSON schema, made once; absent where the tool does not say. */
export const outputSchemaOf = ({ output }: Tool): Record<string, unknown> | undefined => output && schemaOf(output)

function schemaOf(shape: z.ZodObject): Record<string, unknown> {
  const known = schemas.get(shape)
  if (known !== undefined) return known
  const { $schema: _, '~standard': __, ...schema }: Record<string, unknown> = z.toJSONSchema(shape, { io: 'input' })
  schemas.set(shape, schema)
  return schema
}
