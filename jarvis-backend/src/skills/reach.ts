import { JarvisError } from 'protocol'
import { named } from 'redaction/visible'
import { type Catalogue, catalogueOf } from './catalogue.ts'
import type { Enabled, Loaded, Skills } from './library.ts'
import { searchSkills } from './search.ts'

/** The skills that one agent's models may use. Nothing of any other comes through it, not even a name. */
export type Reach = {
  /** By name; the same array until something changes. */
  enabled(): readonly Enabled[]
  /** The same object until something changes. */
  catalogue(): Catalogue
  /** Whether `/name` is a skill, and why it cannot be used if so; undefined where there is none of that name. */
  standing(name: string): { problem?: string } | undefined
  /** @throws JarvisError `not_found` */
  load(name: string, sessionId?: string): Loaded
  /** @throws JarvisError `not_found` */
  readFile(name: string, path: string): { hash: string; text: string }
  search(words: string): Enabled[]
}

/** The reach of an agent without any. */
export const noReach: Reach = reachOf([])

/** @param libraries those that the agent uses, the nearest first: of two skills with one name it has the first. `mayUse`: narrows a library */
export function reachOf(libraries: readonly { skills: Skills; mayUse(name: string): boolean }[]): Reach {
  let last: { key: string; enabled: readonly Enabled[]; catalogue: Catalogue } | undefined
  function current() {
    const found = new Map<string, Enabled>()
    for (const { skills, mayUse } of libraries)
      for (const skill of skills.enabled())
        if (!found.has(skill.name) && mayUse(skill.name)) found.set(skill.name, skill)
    const enabled = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    const key = enabled.map(({ name, hash }) => `${name} ${hash}`).join()
    if (last?.key !== key) last = { key, enabled, catalogue: catalogueOf(enabled) }
    return last
  }
  function holderOf(name: string): Skills {
    const holder = libraries.find(
      ({ skills, mayUse }) => mayUse(name) && skills.enabled().some((skill) => skill.name === name),
    )
    if (holder !== undefined) return holder.skills
    throw new JarvisError('not_found', `There is no enabled skill ${named(name)}.`)
  }
  return {
    enabled: () => current().enabled,
    catalogue: () => current().catalogue,
    standing(name) {
      const all = libraries.flatMap(({ skills, mayUse }) => (mayUse(name) ? (skills.standing(name) ?? []) : []))
      return all.find(({ problem }) => problem === undefined) ?? all[0]
    },
    load: (name, sessionId) => holderOf(name).load(name, sessionId),
    readFile: (name, path) => holderOf(name).readFile(name, path),
    search: (words) => searchSkills(current().enabled, words),
  }
}
