import { join } from 'node:path'
import { AgentId, mainAgentId } from 'protocol'

/**
 * The folder of an agent's files: the one place where its path is made. Main has the workspace, the others a folder beside it, so that no agent's
 * files lie within another's.
 * @throws Error for what is no agent's id
 */
export const agentDir = (dataDir: string, id: string): string =>
  id === mainAgentId ? join(dataDir, 'workspace') : join(dataDir, 'agents', AgentId.parse(id))
