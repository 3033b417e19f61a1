import type { SkillList, SkillTree } from 'jarvis-backend/protocol'
import { call } from './http.ts'

const pathOf = (name: string) => `/api/skills/${encodeURIComponent(name)}`

export const listSkills = () => call<SkillList>('GET', '/api/skills')
export const readSkill = (name: string) => call<SkillTree>('GET', pathOf(name))
/** Asks for the password. @param hash of the tree that was read. @throws ApiError `conflict` where it is another one by now */
export const approveSkill = (name: string, hash: string) => call<SkillTree>('POST', `${pathOf(name)}/approve`, { hash })
export const turnSkillOff = (name: string) => call<SkillTree>('POST', `${pathOf(name)}/off`, {})
export const deleteSkill = (name: string) => call('DELETE', pathOf(name), {})
