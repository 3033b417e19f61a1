import type { SkillList, SkillTree } from 'protocol'
import { call } from './http.ts'

/** The person who owns the skills; undefined: the skills of the workspace. */
type Owner = string | undefined

const pathOf = (name: string) => `/api/skills/${encodeURIComponent(name)}`
const queryOf = (agent: Owner) => (agent === undefined ? '' : `?agent=${encodeURIComponent(agent)}`)
const bodyOf = (agent: Owner) => (agent === undefined ? {} : { agent })

export const listSkills = (agent?: Owner) => call<SkillList>('GET', `/api/skills${queryOf(agent)}`)
export const readSkill = (name: string, agent: Owner) => call<SkillTree>('GET', pathOf(name) + queryOf(agent))
/**
 * Approves a skill. The server asks for the password. @param hash of the tree that the person read. @throws ApiError `conflict` if the tree has
 * changed since
 */
export const approveSkill = (name: string, hash: string, agent: Owner) =>
  call<SkillTree>('POST', `${pathOf(name)}/approve`, { hash, ...bodyOf(agent) })
export const turnSkillOff = (name: string, agent: Owner) =>
  call<SkillTree>('POST', `${pathOf(name)}/off`, bodyOf(agent))
export const deleteSkill = (name: string, agent: Owner) => call('DELETE', pathOf(name), bodyOf(agent))
