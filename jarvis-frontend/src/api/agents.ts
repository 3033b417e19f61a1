import type { AgentBinding } from 'protocol'
import type { Body } from 'protocol/client'
import { call } from './http.ts'

export const readAgents = () => call('GET /api/agents')
export const readAgent = (id: string) => call('GET /api/agents/:id', { params: { id } })
/**
 * Saves an agent. @param hash of the file that was edited; undefined: a new agent. @throws ApiError `conflict`, `invalid_request` naming the field
 */
export const saveAgent = (id: string, agent: Body<'PUT /api/agents/:id'>['agent'], hash: string | undefined) =>
  call('PUT /api/agents/:id', { params: { id }, body: { agent, hash } })
export const removeAgent = (id: string) => call('DELETE /api/agents/:id', { params: { id } })
/** Asks the gate for its verdict on a call of the agent. Runs nothing. */
export const classifyFor = (id: string, toolName: string, toolInput: Record<string, unknown>) =>
  call('POST /api/agents/:id/classify', { params: { id }, body: { toolName, toolInput } })
/** Sends a message to each of the agents, as a rehearsal. */
export const tryAgents = (agents: string[], message: string) =>
  call('POST /api/agents/try', { body: { agents, message } })
export const whichAgent = (arrival: Partial<AgentBinding>) =>
  call('GET /api/agents/which', {
    query: Object.fromEntries(Object.entries(arrival).filter(([, value]) => value !== '')),
  })

/** Functions that read, write and remove the files of one agent, in the form that the editor needs. */
export const filesOf = (id: string) => ({
  read: (path: string) => call('GET /api/agents/:id/files/*path', { params: { id, path } }),
  write: (path: string, text: string, checksum: string | undefined) =>
    call('PUT /api/agents/:id/files/*path', { params: { id, path }, body: { text, checksum } }),
  remove: (path: string) => call('DELETE /api/agents/:id/files/*path', { params: { id, path } }),
})
