import { JarvisError, type Skill, type SkillList, type SkillTree } from 'protocol'
import { named } from 'redaction/visible'
import { type Catalogue, catalogueOf, mostTokens } from './catalogue.ts'
import type { Folders, Seen, WholeFile } from './folders.ts'
import { isSkillName, parseSkill, skillFile } from './front.ts'
import { filesOf, shownOf, stateOf, whyNot } from './shown.ts'
import type { ApprovedFile, SkillStore, StoredApproval } from './store.ts'

/** A skill that models may use. `description`: from its front matter. */
export type Enabled = { name: string; hash: string; description: string }
/** The approved text of a skill, and the further files of the skill that models may read. */
export type Loaded = { name: string; hash: string; body: string; files: { path: string; bytes: number }[] }

export interface Skills {
  list(): SkillList
  /** Returns a skill with its files. @throws JarvisError `not_found` */
  get(name: string): SkillTree
  /**
   * Approves the folder’s content with this hash, and stores its texts.
   * @throws JarvisError `conflict` if the content has changed or cannot be approved; `not_found`
   */
  approve(name: string, hash: string, by: string): SkillTree
  /**
   * Puts the files of a skill into a new folder, under the name that its SKILL.md gives. Approves nothing.
   * @throws JarvisError `invalid_request` if SKILL.md is missing or has no name that a skill may have; `conflict` if the folder exists
   */
  add(files: readonly WholeFile[], by: string): SkillTree
  /** Turns a skill off. @throws JarvisError `not_found`, also if it was never approved */
  turnOff(name: string, by: string): SkillTree
  /** Deletes the skill’s folder and its approval. @throws JarvisError `not_found` */
  remove(name: string, by: string): void
  /** Returns the skills that models may use, by name; the same array until a skill changes. */
  enabled(): readonly Enabled[]
  /** The catalogue of the enabled skills. */
  catalogue(): Catalogue
  /** Returns the state of the skill `/name`. `problem`: the reason why it cannot be used. Undefined: the skill does not exist. */
  standing(name: string): { problem?: string } | undefined
  /** Returns the approved text, after reading the folder again to check that it is unchanged. @throws JarvisError `not_found` */
  load(name: string, sessionId?: string): Loaded
  /** Reads an approved file of the skill. @throws JarvisError `not_found`, `invalid_request` */
  readFile(name: string, path: string): { hash: string; text: string }
  /** Writes the shipped skills that were never written to this installation before, and approves them in the name of this release. */
  ship(): void
}

const shippedKey = 'shippedSkills'
/** The name that is stored as approver of shipped skills. */
export const release = 'JARVIS'

export type SkillLibraryParts = {
  folders: Folders
  store: SkillStore
  /** Text of each SKILL.md, by name. */
  shipped: ReadonlyMap<string, string>
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  /** Runs the work in one transaction, which is on disk when this returns. */
  durably<T>(work: () => T): T
  /** Journals a change to a skill, and who made it. */
  record(change: {
    change: 'shipped' | 'added' | 'approved' | 'turned_off' | 'removed'
    skill: string
    hash?: string | undefined
    by: string
  }): void
  changed(): void
  now(): number
}

/** The skills in one agent’s folder, and their approvals. */
export class SkillLibrary implements Skills {
  readonly #parts: SkillLibraryParts
  /** The enabled skills when the folders were last read. `key`: their names and hashes. */
  #last: { key: string; enabled: readonly Enabled[]; catalogue: Catalogue } | undefined

  constructor(parts: SkillLibraryParts) {
    this.#parts = parts
  }

  list(): SkillList {
    const { folders, store } = this.#parts
    const { seen, problem } = folders.all()
    const approvals = store.approvals()
    const { catalogue } = this.#current(seen, approvals)
    return {
      items: seen.map((one) => this.#shown(one, approvals.get(one.name), catalogue)),
      catalogue: { tokens: catalogue.tokens, most: mostTokens, missing: catalogue.missing },
      problem,
    }
  }

  get(name: string): SkillTree {
    return this.#treeOf(this.#present(name))
  }

  approve(name: string, hash: string, by: string): SkillTree {
    const one = this.#present(name, true)
    const [fault] = one.faults
    if (fault !== undefined || one.tree.hash === undefined)
      throw new JarvisError(
        'conflict',
        `The skill ${name} cannot be approved: ${fault?.message ?? 'it cannot be read.'}`,
      )
    if (one.tree.hash !== hash)
      throw new JarvisError(
        'conflict',
        `The skill ${name} changed since you read it. Read it again; nothing was approved.`,
      )
    this.#approveTree(one, { hash, by, isPersons: true })
    return this.#treeOf(one)
  }

  add(files: readonly WholeFile[], by: string): SkillTree {
    const { folders, durably, record, changed } = this.#parts
    const text = files.find(({ path }) => path === skillFile)?.bytes.toString()
    if (text === undefined)
      throw new JarvisError(
        'invalid_request',
        'There is no SKILL.md among the files. It stands at the top of the folder.',
      )
    const { name } = parseSkill(text, '').front
    if (!isSkillName(name))
      throw new JarvisError(
        'invalid_request',
        `SKILL.md: name has 1 to 64 of a-z, 0-9 and single hyphens, and not ${named(name)}.`,
      )
    if (!folders.add(name, files))
      throw new JarvisError('conflict', `There is a skill ${name} already. Delete it first, or change its folder.`)
    const one = this.#present(name, true)
    durably(() => record({ change: 'added', skill: name, hash: one.tree.hash, by }))
    changed()
    return this.#treeOf(one)
  }

  turnOff(name: string, by: string): SkillTree {
    const { store, durably, record, changed, now } = this.#parts
    const approval = store.approvals().get(name)
    if (approval === undefined) throw notFound(name)
    durably(() => {
      store.turnOff(name, { at: now(), by })
      record({ change: 'turned_off', skill: name, hash: approval.hash, by })
    })
    changed()
    return this.#treeOf(this.#present(name))
  }

  remove(name: string, by: string): void {
    const { folders, store, durably, record, changed } = this.#parts
    this.#present(name)
    durably(() => {
      store.remove(name)
      record({ change: 'removed', skill: name, by })
    })
    folders.remove(name)
    changed()
  }

  enabled(): readonly Enabled[] {
    return this.#current().enabled
  }

  catalogue(): Catalogue {
    return this.#current().catalogue
  }

  standing(name: string): { problem?: string } | undefined {
    const { folders, store } = this.#parts
    if (!isSkillName(name) || !folders.names().names.includes(name)) return undefined
    const state = stateOf(folders.see(name), store.approvals().get(name))
    return state === 'approved' ? {} : { problem: `The skill ${name} ${whyNot[state]} Read it under Agents, Skills.` }
  }

  load(name: string, sessionId?: string): Loaded {
    const { store, now } = this.#parts
    const { hash, files } = this.#approvedFiles(name)
    const text = files.find(({ path }) => path === skillFile)?.text ?? ''
    if (sessionId !== undefined) store.used(name, { at: now(), sessionId })
    const readable = files.filter(({ path, kind }) => kind === 'text' && path !== skillFile && isNear(path))
    return {
      name,
      hash,
      body: parseSkill(text, name).body,
      files: readable.map(({ path, bytes }) => ({ path, bytes })),
    }
  }

  readFile(name: string, path: string): { hash: string; text: string } {
    const { hash, files } = this.#approvedFiles(name)
    const file = files.find((one) => one.path === path)
    if (file?.text === undefined || !isNear(path)) {
      const there = files
        .filter(({ path: other, kind }) => kind === 'text' && isNear(other))
        .map(({ path: other }) => other)
      throw new JarvisError(
        'not_found',
        `${name} has no text file ${named(path)}. There are ${there.slice(0, 40).join(', ')}.`,
      )
    }
    return { hash, text: file.text }
  }

  ship(): void {
    const { folders, shipped, settings, durably } = this.#parts
    const written = new Set((settings.get(shippedKey) ?? '').split(',').filter((name) => name !== ''))
    const missing = [...shipped].filter(([name]) => !written.has(name))
    if (missing.length === 0) return
    for (const [name, text] of missing) folders.add(name, [{ path: skillFile, bytes: text }])
    // All in one commit, because each commit waits for the disk.
    durably(() => {
      for (const [name, text] of missing) {
        const one = folders.see(name, true)
        const isOurs = one.tree.files.length === 1 && one.tree.files[0]?.text === text && one.faults.length === 0
        const { hash } = one.tree
        if (isOurs && hash !== undefined) this.#approveTree(one, { hash, by: release, isPersons: false })
      }
      settings.set(shippedKey, [...written, ...missing.map(([name]) => name)].join())
    })
  }

  #current(seen = this.#parts.folders.all().seen, approvals = this.#parts.store.approvals()) {
    const found = seen.flatMap((one): Enabled[] => {
      const { name, tree, parsed } = one
      const isUsable = stateOf(one, approvals.get(name)) === 'approved'
      return isUsable && tree.hash !== undefined
        ? [{ name, hash: tree.hash, description: parsed.front.description }]
        : []
    })
    const key = found.map(({ name, hash }) => `${name} ${hash}`).join()
    if (this.#last?.key !== key) this.#last = { key, enabled: found, catalogue: catalogueOf(found) }
    return this.#last
  }

  #shown(one: Seen, approval: StoredApproval | undefined, { missing }: Catalogue): Skill {
    const { shipped, store } = this.#parts
    return shownOf(one, approval, {
      isMissing: missing.includes(one.name),
      shippedText: shipped.get(one.name),
      lastUse: store.uses().get(one.name),
    })
  }

  #treeOf(one: Seen): SkillTree {
    const { store } = this.#parts
    const approval = store.approvals().get(one.name)
    const { catalogue } = this.#current()
    const before = approval === undefined ? [] : store.files(one.name)
    return { ...this.#shown(one, approval, catalogue), files: filesOf(one.tree, before) }
  }

  /** @throws JarvisError `not_found` */
  #present(name: string, isAnew = false): Seen {
    const { folders } = this.#parts
    if (!folders.names().names.includes(name)) throw notFound(name)
    return folders.see(name, isAnew)
  }

  /** Returns the approved files of a skill. @throws JarvisError `not_found` if models may not use the skill, even if its folder exists */
  #approvedFiles(name: string): { hash: string; files: ApprovedFile[] } {
    const { store } = this.#parts
    const none = new JarvisError('not_found', `There is no enabled skill ${named(name)}.`)
    if (!isSkillName(name)) throw none
    const approval = store.approvals().get(name)
    if (approval === undefined || approval.off !== undefined) throw none
    let one: Seen
    try {
      one = this.#present(name, true)
    } catch {
      throw none
    }
    if (stateOf(one, approval) !== 'approved') throw none
    // Returns the stored texts and not the folder’s, so that text written after the check cannot reach a model.
    return { hash: approval.hash, files: store.files(name) }
  }

  /** Stores an approval. @param isPersons true for a person’s decision. Only these are journalled; a release approves its own skills */
  #approveTree({ name, tree }: Seen, { hash, by, isPersons }: { hash: string; by: string; isPersons: boolean }): void {
    const { store, durably, record, changed, now } = this.#parts
    durably(() => {
      store.approve({ name, hash, at: now(), by }, tree.files)
      if (isPersons) record({ change: 'approved', skill: name, hash, by })
    })
    changed()
  }
}

const notFound = (name: string) => new JarvisError('not_found', `There is no skill ${named(name)} in workspace/skills.`)

/** True for a path that models may read: a file beside SKILL.md, or in a folder directly beside it. */
const isNear = (path: string) => path.split('/').length <= 2
