import type {
  AgentBinding,
  AgentBody,
  AgentClassifyReply,
  AgentDetail,
  AgentsReply,
  AgentTryReply,
  AgentWhichReply,
  WorkspaceText,
} from 'protocol'
import { call } from './http.ts'

const place = (id: string) => `/api/agents/${encodeURIComponent(id)}`
const filePlace = (id: string, path: string) =>
  `${place(id)}/files/${path.split('/').map(encodeURIComponent).join('/')}`

export const readAgents = () => call<AgentsReply>('GET', '/api/agents')
export const readAgent = (id: string) => call<AgentDetail>('GET', place(id))
/**
 * Saves an agent. @param hash of the file that was edited; undefined: a new agent. @throws ApiError `conflict`, `invalid_request` naming the field
 */
export const saveAgent = (id: string, agent: AgentBody, hash: string | undefined) =>
  call<AgentDetail>('PUT', place(id), { agent, ...(hash !== undefined && { hash }) })
export const removeAgent = (id: string) => call('DELETE', place(id))
/** Asks the gate for its verdict on a call of the agent. Runs nothing. */
export const classifyFor = (id: string, toolName: string, toolInput: Record<string, unknown>) =>
  call<AgentClassifyReply>('POST', `${place(id)}/classify`, { toolName, toolInput })
/** Sends a message to each of the agents, as a rehearsal. */
export const tryAgents = (agents: readonly string[], message: string) =>
  call<AgentTryReply>('POST', '/api/agents/try', { agents, message })
export const whichAgent = (arrival: Partial<AgentBinding>) =>
  call<AgentWhichReply>(
    'GET',
    `/api/agents/which?${new URLSearchParams(Object.entries(arrival).filter((pair): pair is [string, string] => Boolean(pair[1])))}`,
  )

/** Functions that read, write and remove the files of one agent, in the form that the editor needs. */
export const filesOf = (id: string) => ({
  read: (path: string) => call<WorkspaceText>('GET', filePlace(id, path)),
  write: (path: string, text: string, checksum: string | undefined) =>
    call<WorkspaceText>('PUT', filePlace(id, path), { text, checksum }),
  remove: (path: string) => call('DELETE', filePlace(id, path)),
})
