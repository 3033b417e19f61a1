import type { Body } from 'protocol/client'
import { call } from './http.ts'

/** The person who owns the skills; undefined: the skills of the workspace. */
type Owner = string | undefined

export const listSkills = (agent?: Owner) => call('GET /api/skills', { query: { agent } })
export const readSkill = (name: string, agent: Owner) =>
  call('GET /api/skills/:name', { params: { name }, query: { agent } })
/** Adds a skill by its files. Approves nothing. @throws ApiError `conflict` if there is a skill of this name */
export const addSkill = (files: Body<'POST /api/skills'>['files'], agent: Owner) =>
  call('POST /api/skills', { body: { files, agent } })
/**
 * Approves a skill. The server asks for the password. @param hash of the tree that the person read. @throws ApiError `conflict` if the tree has
 * changed since
 */
export const approveSkill = (name: string, hash: string, agent: Owner) =>
  call('POST /api/skills/:name/approve', { params: { name }, body: { hash, agent } })
export const turnSkillOff = (name: string, agent: Owner) =>
  call('POST /api/skills/:name/off', { params: { name }, body: { agent } })
export const deleteSkill = (name: string, agent: Owner) =>
  call('DELETE /api/skills/:name', { params: { name }, body: { agent } })
