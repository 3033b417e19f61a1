import { JarvisError } from 'protocol'
import { named } from 'redaction/visible'
import { type Catalogue, catalogueOf } from './catalogue.ts'
import type { Enabled, Loaded, Skills } from './library.ts'
import { searchSkills } from './search.ts'

/** The skills that one agent's models may use. It gives nothing of any other skill, not even a name. */
export interface Reach {
  /** By name; the same array until something changes. */
  enabled(): readonly Enabled[]
  /** The same object until something changes. */
  catalogue(): Catalogue
  /** Says whether `/name` is a skill. `problem`: why it cannot be used. Undefined: there is no skill of that name. */
  standing(name: string): { problem?: string } | undefined
  /** @throws JarvisError `not_found` */
  load(name: string, sessionId?: string): Loaded
  /** @throws JarvisError `not_found` */
  readFile(name: string, path: string): { hash: string; text: string }
  search(words: string): Enabled[]
}

/** A library that an agent uses. `mayUse`: narrows it. */
type Library = { skills: Skills; mayUse(name: string): boolean }

/** The reach over some libraries. Of two skills with one name the agent has that of the first library. */
export class LibraryReach implements Reach {
  readonly #libraries: readonly Library[]
  #last: { key: string; enabled: readonly Enabled[]; catalogue: Catalogue } | undefined

  constructor(libraries: readonly Library[]) {
    this.#libraries = libraries
  }

  enabled(): readonly Enabled[] {
    return this.#current().enabled
  }

  catalogue(): Catalogue {
    return this.#current().catalogue
  }

  standing(name: string): { problem?: string } | undefined {
    const all = this.#libraries.flatMap(({ skills, mayUse }) => (mayUse(name) ? (skills.standing(name) ?? []) : []))
    return all.find(({ problem }) => problem === undefined) ?? all[0]
  }

  load(name: string, sessionId?: string): Loaded {
    return this.#holderOf(name).load(name, sessionId)
  }

  readFile(name: string, path: string): { hash: string; text: string } {
    return this.#holderOf(name).readFile(name, path)
  }

  search(words: string): Enabled[] {
    return searchSkills(this.enabled(), words)
  }

  #current() {
    const found = new Map<string, Enabled>()
    for (const { skills, mayUse } of this.#libraries)
      for (const skill of skills.enabled())
        if (!found.has(skill.name) && mayUse(skill.name)) found.set(skill.name, skill)
    const enabled = [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    const key = enabled.map(({ name, hash }) => `${name} ${hash}`).join()
    if (this.#last?.key !== key) this.#last = { key, enabled, catalogue: catalogueOf(enabled) }
    return this.#last
  }

  #holderOf(name: string): Skills {
    const holder = this.#libraries.find(
      ({ skills, mayUse }) => mayUse(name) && skills.enabled().some((skill) => skill.name === name),
    )
    if (holder !== undefined) return holder.skills
    throw new JarvisError('not_found', `There is no enabled skill ${named(name)}.`)
  }
}

/** The reach of an agent without skills. */
export const noReach: Reach = new LibraryReach([])
