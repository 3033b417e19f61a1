import type { PbsApi } from 'homelab-ports/ports'
import type { HomelabPorts } from '../homelab/homelab-tool.ts'
import { toolOver } from '../tool.ts'

export { quoting } from '../homelab/homelab-tool.ts'

/** The ports of the tools over a backup server. The tools are offered only if a backup server is configured. */
export type PbsPorts = Pick<HomelabPorts, 'api'> & { pbs: PbsApi }

export const pbsTool = toolOver<PbsPorts>()
