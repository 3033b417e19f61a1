import type { PbsApi } from '../../homelab/ports.ts'
import type { HomelabPorts } from '../homelab/homelab-tool.ts'
import { toolOver } from '../tool.ts'

export { quoting } from '../homelab/homelab-tool.ts'

/** The ports of tools over a backup server. They are offered only if one is configured. */
export type PbsPorts = Pick<HomelabPorts, 'api'> & { pbs: PbsApi }

export const pbsTool = toolOver<PbsPorts>()
