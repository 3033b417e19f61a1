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
/** @param hash of the file that it was made on. @throws ApiError `conflict`, `invalid_request` naming the field */
export const saveAgent = (id: string, agent: AgentBody, hash: string | undefined) =>
  call<AgentDetail>('PUT', place(id), { agent, ...(hash !== undefined && { hash }) })
export const removeAgent = (id: string) => call('DELETE', place(id))
/** Asks the gate for the verdict on a call. Runs nothing. */
export const classifyFor = (id: string, toolName: string, toolInput: Record<string, unknown>) =>
  call<AgentClassifyReply>('POST', `${place(id)}/classify`, { toolName, toolInput })
/** Says something to each of them, in rehearsals. */
export const tryAgents = (agents: readonly string[], message: string) =>
  call<AgentTryReply>('POST', '/api/agents/try', { agents, message })
export const whichAgent = (arrival: Partial<AgentBinding>) =>
  call<AgentWhichReply>(
    'GET',
    `/api/agents/which?${new URLSearchParams(Object.entries(arrival).filter((pair): pair is [string, string] => Boolean(pair[1])))}`,
  )

/** The files of one agent, as the editor takes them. */
export const filesOf = (id: string) => ({
  read: (path: string) => call<WorkspaceText>('GET', filePlace(id, path)),
  write: (path: string, text: string, checksum: string | undefined) =>
    call<WorkspaceText>('PUT', filePlace(id, path), { text, checksum }),
  remove: (path: string) => call('DELETE', filePlace(id, path)),
})
