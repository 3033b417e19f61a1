import { JarvisError } from 'protocol'
import { named } from 'redaction/visible'
import { type Catalogue, catalogueOf } from './catalogue.ts'
import type { Enabled, Loaded, Skills } from './library.ts'
import { searchSkills } from './search.ts'

/** The skills that the models of one agent may use. Nothing about other skills can be read through it, not even their names. */
export interface Reach {
  /** Returns the usable skills, by name; the same array until a skill changes. */
  enabled(): readonly Enabled[]
  /** Returns the catalogue of the usable skills; the same object until a skill changes. */
  catalogue(): Catalogue
  /** Returns the state of the skill `/name`. `problem`: the reason why it cannot be used. Undefined: no skill has this name. */
  standing(name: string): { problem?: string } | undefined
  /** Returns the approved text of a skill. @throws JarvisError `not_found` */
  load(name: string, sessionId?: string): Loaded
  /** Returns an approved file of a skill. @throws JarvisError `not_found` */
  readFile(name: string, path: string): { hash: string; text: string }
  search(words: string): Enabled[]
}

/** A library whose skills an agent uses. `mayUse`: true for the names of skills that the agent may use. */
type Library = { skills: Skills; mayUse(name: string): boolean }

/** The skills of several libraries together. If two libraries have a skill of the same name, the agent gets the one of the first library. */
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

/** Contains no skills, for an agent that has none. */
export const noReach: Reach = new LibraryReach([])
