import { join } from 'node:path'
import { AgentId, mainAgentId } from 'protocol'

/**
 * Returns the folder of an agent’s files; no other code builds this path. `main` has the workspace, and each other agent has a folder beside it, so
 * that no agent’s folder is inside another’s.
 * @throws Error if `id` is not an agent’s id
 */
export const agentDir = (dataDir: string, id: string): string =>
  id === mainAgentId ? join(dataDir, 'workspace') : join(dataDir, 'agents', AgentId.parse(id))
