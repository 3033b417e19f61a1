import { join } from 'node:path'
import { AgentId, mainAgentId } from 'protocol'

/**
 * The folder of an agent's files; the path is made nowhere else. Main has the workspace, the others a folder beside it, so no agent's files lie
 * within those of another agent.
 * @throws Error if `id` is not an agent's id
 */
export const agentDir = (dataDir: string, id: string): string =>
  id === mainAgentId ? join(dataDir, 'workspace') : join(dataDir, 'agents', AgentId.parse(id))
