import type { SkillList, SkillTree } from 'jarvis-backend/protocol'
import { call } from './http.ts'

const pathOf = (name: string) => `/api/skills/${encodeURIComponent(name)}`

/** @param agent whose own; absent: those of the workspace */
export const listSkills = (agent?: string) =>
  call<SkillList>('GET', agent === undefined ? '/api/skills' : `/api/skills?agent=${encodeURIComponent(agent)}`)
export const readSkill = (name: string) => call<SkillTree>('GET', pathOf(name))
/** Asks for the password. @param hash of the tree that was read. @throws ApiError `conflict` where it is another one by now */
export const approveSkill = (name: string, hash: string) => call<SkillTree>('POST', `${pathOf(name)}/approve`, { hash })
export const turnSkillOff = (name: string) => call<SkillTree>('POST', `${pathOf(name)}/off`, {})
export const deleteSkill = (name: string) => call('DELETE', pathOf(name), {})
