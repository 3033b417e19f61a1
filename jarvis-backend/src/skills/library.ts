import { JarvisError, type Skill, type SkillList, type SkillTree } from 'protocol'
import { named } from 'redaction/visible'
import { type Catalogue, catalogueOf, mostTokens } from './catalogue.ts'
import type { Folders, Seen } from './folders.ts'
import { isSkillName, parseSkill, skillFile } from './front.ts'
import { filesOf, shownOf, stateOf, whyNot } from './shown.ts'
import type { ApprovedFile, SkillStore, StoredApproval } from './store.ts'

/** A skill that models may use. `description`: as its front matter has it. */
export type Enabled = { name: string; hash: string; description: string }
/** An approved text, and the files that may be read besides. */
export type Loaded = { name: string; hash: string; body: string; files: { path: string; bytes: number }[] }

export type Skills = {
  list(): SkillList
  /** @throws JarvisError `not_found` */
  get(name: string): SkillTree
  /**
   * Approves the tree with this hash, and keeps its texts.
   * @throws JarvisError `conflict` where the tree is another one now or cannot be approved; `not_found`
   */
  approve(name: string, hash: string, by: string): SkillTree
  /** @throws JarvisError `not_found`, also where it was never approved */
  turnOff(name: string, by: string): SkillTree
  /** Deletes the folder and the approval. @throws JarvisError `not_found` */
  remove(name: string, by: string): void
  /** What models may use, by name; the same array until something changes. */
  enabled(): readonly Enabled[]
  /** The catalogue of the enabled ones. */
  catalogue(): Catalogue
  /** Whether `/name` is a skill, and why it cannot be used if so; undefined where there is no such skill. */
  standing(name: string): { problem?: string } | undefined
  /** Reads the approved text after looking at the folder anew. @throws JarvisError `not_found` */
  load(name: string, sessionId?: string): Loaded
  /** Reads an approved file of it. @throws JarvisError `not_found`, `invalid_request` */
  readFile(name: string, path: string): { hash: string; text: string }
  /** Writes the shipped skills that were never written here before, and approves them in the name of this release. */
  ship(): void
}

const shippedKey = 'shippedSkills'
/** Who approved what came with JARVIS. */
export const release = 'JARVIS'

export function createSkills(parts: {
  folders: Folders
  store: SkillStore
  /** Text of each SKILL.md, by name. */
  shipped: ReadonlyMap<string, string>
  settings: { get(key: string): string | undefined; set(key: string, value: string): void }
  /** Runs the work in one transaction that is on disk afterwards. */
  durably<T>(work: () => T): T
  /** Writes down who did what to which skill. */
  record(change: {
    change: 'shipped' | 'approved' | 'turned_off' | 'removed'
    skill: string
    hash?: string
    by: string
  }): void
  changed(): void
  now(): number
}): Skills {
  const { folders, store, shipped } = parts
  const { names, see, all } = folders

  let last: { key: string; enabled: readonly Enabled[]; catalogue: Catalogue } | undefined
  function current(seen = all().seen, approvals = store.approvals()) {
    const found = seen.flatMap((one): Enabled[] => {
      const { name, tree, parsed } = one
      const isUsable = stateOf(one, approvals.get(name)) === 'approved'
      return isUsable && tree.hash !== undefined
        ? [{ name, hash: tree.hash, description: parsed.front.description }]
        : []
    })
    const key = found.map(({ name, hash }) => `${name} ${hash}`).join()
    if (last?.key !== key) last = { key, enabled: found, catalogue: catalogueOf(found) }
    return last
  }

  const shown = (one: Seen, approval: StoredApproval | undefined, { missing }: Catalogue): Skill =>
    shownOf(one, approval, {
      isMissing: missing.includes(one.name),
      shippedText: shipped.get(one.name),
      lastUse: store.uses().get(one.name),
    })

  const notFound = (name: string) =>
    new JarvisError('not_found', `There is no skill ${named(name)} in workspace/skills.`)

  /** @throws JarvisError `not_found` */
  function present(name: string, isAnew = false): Seen {
    if (!names().names.includes(name)) throw notFound(name)
    return see(name, isAnew)
  }

  function treeOf(one: Seen): SkillTree {
    const approval = store.approvals().get(one.name)
    const { catalogue } = current()
    const before = approval === undefined ? [] : store.files(one.name)
    return { ...shown(one, approval, catalogue), files: filesOf(one.tree, before) }
  }

  /** @throws JarvisError `not_found` where models may not use it, whatever there is in its folder */
  function approvedFiles(name: string): { hash: string; files: ApprovedFile[] } {
    const none = new JarvisError('not_found', `There is no enabled skill ${named(name)}.`)
    if (!isSkillName(name)) throw none
    const approval = store.approvals().get(name)
    if (approval === undefined || approval.off !== undefined) throw none
    let one: Seen
    try {
      one = present(name, true)
    } catch {
      throw none
    }
    if (stateOf(one, approval) !== 'approved') throw none
    // The kept texts, so that nothing written since the look can reach a model.
    return { hash: approval.hash, files: store.files(name) }
  }

  function approveTree({ name, tree }: Seen, hash: string, by: string, change: 'approved' | 'shipped') {
    parts.durably(() => {
      store.approve({ name, hash, at: parts.now(), by }, tree.files)
      // What a release brings is no person's decision.
      if (change === 'approved') parts.record({ change, skill: name, hash, by })
    })
    parts.changed()
  }

  return {
    list() {
      const { seen, problem } = all()
      const approvals = store.approvals()
      const { catalogue } = current(seen, approvals)
      return {
        items: seen.map((one) => shown(one, approvals.get(one.name), catalogue)),
        catalogue: { tokens: catalogue.tokens, most: mostTokens, missing: catalogue.missing },
        ...(problem !== undefined && { problem }),
      }
    },
    get: (name) => treeOf(present(name)),
    approve(name, hash, by) {
      const one = present(name, true)
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
      approveTree(one, hash, by, 'approved')
      return treeOf(one)
    },
    turnOff(name, by) {
      const approval = store.approvals().get(name)
      if (approval === undefined) throw notFound(name)
      parts.durably(() => {
        store.turnOff(name, { at: parts.now(), by })
        parts.record({ change: 'turned_off', skill: name, hash: approval.hash, by })
      })
      parts.changed()
      return treeOf(present(name))
    },
    remove(name, by) {
      present(name)
      parts.durably(() => {
        store.remove(name)
        parts.record({ change: 'removed', skill: name, by })
      })
      folders.remove(name)
      parts.changed()
    },
    enabled: () => current().enabled,
    catalogue: () => current().catalogue,
    standing(name) {
      if (!isSkillName(name) || !names().names.includes(name)) return undefined
      const state = stateOf(see(name), store.approvals().get(name))
      return state === 'approved' ? {} : { problem: `The skill ${name} ${whyNot[state]} Read it under Agents, Skills.` }
    },
    load(name, sessionId) {
      const { hash, files } = approvedFiles(name)
      const text = files.find(({ path }) => path === skillFile)?.text ?? ''
      if (sessionId !== undefined) store.used(name, { at: parts.now(), sessionId })
      const readable = files.filter(({ path, kind }) => kind === 'text' && path !== skillFile && isNear(path))
      return {
        name,
        hash,
        body: parseSkill(text, name).body,
        files: readable.map(({ path, bytes }) => ({ path, bytes })),
      }
    },
    readFile(name, path) {
      const { hash, files } = approvedFiles(name)
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
    },
    ship() {
      const written = new Set((parts.settings.get(shippedKey) ?? '').split(',').filter((name) => name !== ''))
      const missing = [...shipped].filter(([name]) => !written.has(name))
      if (missing.length === 0) return
      for (const [name, text] of missing) folders.add(name, text)
      // One commit for all, because each waits for the disk.
      parts.durably(() => {
        for (const [name, text] of missing) {
          const one = see(name, true)
          const isOurs = one.tree.files.length === 1 && one.tree.files[0]?.text === text && one.faults.length === 0
          if (isOurs && one.tree.hash !== undefined) approveTree(one, one.tree.hash, release, 'shipped')
        }
        parts.settings.set(shippedKey, [...written, ...missing.map(([name]) => name)].join())
      })
    },
  }
}

/** Models read files beside SKILL.md and one folder below. */
const isNear = (path: string) => path.split('/').length <= 2
