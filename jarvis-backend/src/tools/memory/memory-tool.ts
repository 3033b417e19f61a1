import type { MemoryFound, Principal } from 'protocol'
import type { Touch } from '../../gate/effect.ts'
import { reads } from '../../gate/targets.ts'
import type { World } from '../../gate/world.ts'
import type { Workspace } from '../../workspace/files.ts'
import { toolOver } from '../tool.ts'

export type WriteRecord = { path: string; before: string | undefined; checksum: string }

/** One agent's memory. `keep`: stores the facts that undo a change, and returns their id. */
export type OwnMemory = {
  search(query: string, limit: number): Promise<MemoryFound>
  workspace: Workspace
  keep(record: WriteRecord): string
}

/** The parts that the tools over the memory act through. `of`: returns the asker's memory; throws JarvisError `unknown_agent`. */
export type MemoryPorts = {
  of(asker: Principal | undefined): OwnMemory
  now(): number
  redact(text: string): string
}

export const memoryTool = toolOver<MemoryPorts>()

const touches: Touch[] = [{ kind: 'read', on: 'site' }]
/** Members of a tool that reads notes and earlier conversations. */
export const recalling = {
  remembers: true,
  tier: 'green',
  touches,
  effects: (_: object, world: World) => reads({}, world),
  recalls: true,
} as const
