import { lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { byNatural } from 'node-kit/natural'
import type { SkillFault, SkillHint } from 'protocol'
import { named } from 'redaction/visible'
import { tokensOf } from './catalogue.ts'
import { isSkillName, type Parsed, parseSkill, skillFile } from './front.ts'
import { hintsIn } from './hints.ts'
import type { Tree, Trees } from './tree.ts'

/** Most folders that are looked at, and most files in all of them. */
const mostFolders = 200
const mostFiles = 5_000
/** Most tokens of a body: a model is given all of it. */
const mostBodyTokens = 15_000
const mostHints = 500

/** A skill as it is in its folder. `faults`: why it cannot be approved. */
export type Seen = { name: string; tree: Tree; parsed: Parsed; faults: SkillFault[]; hints: SkillHint[] }

/** The folders of skills. */
export interface Folders {
  /** Names of the folders that may hold a skill. `problem`: why some were not looked at. */
  names(): { names: string[]; problem?: string }
  /** @param isAnew reads without what is known from before. @throws Error if there is no such folder */
  see(name: string, isAnew?: boolean): Seen
  all(): { seen: Seen[]; problem?: string }
  /** Writes a skill of one file, unless there is something under that name. */
  add(name: string, text: string): void
  remove(name: string): void
}

/** Looks at the folders of skills, follows no link and reads within limits. */
export class SkillFolders implements Folders {
  readonly #parts: { dir: string; trees: Trees; reserved(name: string): string | undefined }
  readonly #known = new WeakMap<Tree, Said>()

  /**
   * @param parts.dir the folder that holds them
   * @param parts.reserved says why no skill may have this name; undefined if one may
   */
  constructor(parts: { dir: string; trees: Trees; reserved(name: string): string | undefined }) {
    this.#parts = parts
  }

  names(): { names: string[]; problem?: string } {
    const stat = lstatSync(this.#dir(), { throwIfNoEntry: false })
    if (stat === undefined) return { names: [] }
    if (!stat.isDirectory())
      return { names: [], problem: 'workspace/skills is no folder of its own, so that nothing in it is read.' }
    const found = readdirSync(this.#dir(), { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()))
      .map(({ name }) => name)
      .sort(byNatural)
    if (found.length <= mostFolders) return { names: found }
    return {
      names: found.slice(0, mostFolders),
      problem: `${found.length - mostFolders} of ${found.length} folders were not looked at: there may be ${mostFolders}.`,
    }
  }

  see(name: string, isAnew = false): Seen {
    const { trees } = this.#parts
    const place = this.#dirOf(name)
    const isLink = lstatSync(place).isSymbolicLink()
    const tree = isLink
      ? noTree('It is a link. A skill is a folder of its own.')
      : isAnew
        ? trees.readAnew(place)
        : trees.read(place)
    const made = this.#known.get(tree) ?? said(name, tree)
    this.#known.set(tree, made)
    const { parsed, hints } = made
    const faults = [...this.#nameFaults(name), ...parsed.faults, ...bodyFaults(parsed.body), ...tree.faults]
    return { name, tree, parsed, faults, hints }
  }

  all(): { seen: Seen[]; problem?: string } {
    const { names: found, problem } = this.names()
    const seen: Seen[] = []
    let files = 0
    for (const name of found) {
      if (files > mostFiles)
        return {
          seen,
          problem: `${found.length - seen.length} folders were not looked at: there are more than ${mostFiles} files in those before.`,
        }
      try {
        const one = this.see(name)
        files += one.tree.files.length
        seen.push(one)
      } catch {
        // It was removed meanwhile.
      }
    }
    return { seen, problem }
  }

  add(name: string, text: string): void {
    if (lstatSync(this.#dirOf(name), { throwIfNoEntry: false }) === undefined) writeWhole(this.#dir(), name, text)
  }

  remove(name: string): void {
    rmSync(this.#dirOf(name), { recursive: true, force: true })
    this.#parts.trees.forget(this.#dirOf(name))
  }

  /** The folder of all skills, with links on the way to it resolved, so that a link within it can be told. */
  #dir(): string {
    const { dir } = this.#parts
    return join(realOf(dirname(dir)), basename(dir))
  }

  #dirOf(name: string): string {
    return join(this.#dir(), name)
  }

  #nameFaults(name: string): SkillFault[] {
    const why = this.#parts.reserved(name)
    if (why !== undefined) return [{ message: why }]
    return isSkillName(name)
      ? []
      : [{ message: `The folder is called ${named(name)}: a skill’s name has 1 to 64 of a-z, 0-9 and single hyphens.` }]
  }
}

/** The real path of a folder; the path as given if there is no such folder. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

type Said = Pick<Seen, 'parsed' | 'hints'>
/**
 * Parsed trees by hash and name, shared by all folders: they depend on the name and the bytes alone. A tree that was just written is read again at
 * each look, and every agent's folder gets the shipped skills.
 */
const saidBefore = new Map<string, Said>()
const mostSaid = 300

function said(name: string, tree: Tree): Said {
  if (tree.hash === undefined) return read(name, tree)
  const key = `${tree.hash} ${name}`
  const made = saidBefore.get(key) ?? read(name, tree)
  // The newest are at the end.
  saidBefore.delete(key)
  saidBefore.set(key, made)
  const [oldest] = saidBefore.keys()
  if (saidBefore.size > mostSaid && oldest !== undefined) saidBefore.delete(oldest)
  return made
}

function read(name: string, tree: Tree): Said {
  const text = tree.files.find(({ path }) => path === skillFile)?.text
  const parsed = text === undefined ? unread(tree) : parseSkill(text, name)
  const hints = tree.files.flatMap((file) => (file.text === undefined ? [] : hintsIn(file.path, file.text)))
  return { parsed, hints: hints.slice(0, mostHints) }
}

const noTree = (message: string): Tree => ({ files: [], bytes: 0, hash: undefined, faults: [{ message }] })

function unread({ files }: Tree): Parsed {
  const isThere = files.some(({ path }) => path === skillFile)
  const message = isThere ? `${skillFile} is no text.` : `There is no ${skillFile}.`
  return {
    front: { name: '', description: '', metadata: {}, wants: [], others: [] },
    body: '',
    faults: [{ path: skillFile, message }],
  }
}

const bodyFaults = (body: string): SkillFault[] =>
  tokensOf(body) <= mostBodyTokens
    ? []
    : [
        {
          path: skillFile,
          message: `It has about ${tokensOf(body)} tokens; ${mostBodyTokens} are the most. Move parts into files of their own.`,
        },
      ]

/** Writes a skill of one file. Its folder appears together with the file. */
function writeWhole(dir: string, name: string, text: string) {
  mkdirSync(dir, { recursive: true })
  const fresh = join(dir, `.${name}.${process.pid}.new`)
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh)
  writeFileSync(join(fresh, skillFile), text, { mode: 0o600 })
  renameSync(fresh, join(dir, name))
}
