import { lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { byNatural } from 'node-kit/natural'
import type { SkillFault, SkillHint } from 'protocol'
import { named } from 'redaction/visible'
import { tokensOf } from './catalogue.ts'
import { isSkillName, type Parsed, parseSkill, skillFile } from './front.ts'
import { hintsIn } from './hints.ts'
import type { Tree, Trees } from './tree.ts'

/** `mostFolders`: maximum folders that are read. `mostFiles`: maximum files in all of them. */
const mostFolders = 200
const mostFiles = 5_000
/** Maximum tokens of a skill’s body: the model receives the whole body. */
const mostBodyTokens = 15_000
const mostHints = 500

/** The present content of a skill’s folder. `faults`: the reasons why the skill cannot be approved. */
export type Seen = { name: string; tree: Tree; parsed: Parsed; faults: SkillFault[]; hints: SkillHint[] }

/** A file of a skill that is added. `path`: within the skill’s folder. */
export type WholeFile = { path: string; bytes: Buffer | string }

/** Reads and writes the folders of skills. */
export interface Folders {
  /** Returns the names of the folders that may hold a skill. `problem`: the reason why some folders were not read. */
  names(): { names: string[]; problem?: string }
  /** Reads the skill in a folder. @param isAnew true: ignores cached content. @throws Error if the folder does not exist */
  see(name: string, isAnew?: boolean): Seen
  all(): { seen: Seen[]; problem?: string }
  /** Writes the folder of a skill. @returns false if the name is already used; nothing is then written */
  add(name: string, files: readonly WholeFile[]): boolean
  remove(name: string): void
}

/** Reads the folders of skills within limits, without following links. */
export class SkillFolders implements Folders {
  readonly #parts: { dir: string; trees: Trees; reserved(name: string): string | undefined }
  readonly #known = new WeakMap<Tree, Said>()

  /**
   * @param parts.dir the folder that holds the skills’ folders
   * @param parts.reserved returns the reason why no skill may have this name; undefined if a skill may
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
        // The folder was removed in the meantime.
      }
    }
    return { seen, problem }
  }

  add(name: string, files: readonly WholeFile[]): boolean {
    if (lstatSync(this.#dirOf(name), { throwIfNoEntry: false }) !== undefined) return false
    writeWhole(this.#dir(), name, files)
    return true
  }

  remove(name: string): void {
    rmSync(this.#dirOf(name), { recursive: true, force: true })
    this.#parts.trees.forget(this.#dirOf(name))
  }

  /** Returns the folder of all skills, with links above it resolved, so that any link below it can be detected. */
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

/** Returns the real path of a folder; the given path if the folder does not exist. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

type Said = Pick<Seen, 'parsed' | 'hints'>
/**
 * Cached parsed trees, by hash and name. All folders share the cache, because the parsed content depends only on the name and the bytes: a tree that
 * was just written is read again each time, and each agent’s folder may have the shipped skills.
 */
const saidBefore = new Map<string, Said>()
const mostSaid = 300

function said(name: string, tree: Tree): Said {
  if (tree.hash === undefined) return read(name, tree)
  const key = `${tree.hash} ${name}`
  const made = saidBefore.get(key) ?? read(name, tree)
  // Moves the key to the end, so that the first key is the one used longest ago.
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

/** Writes the files to a temporary folder, which is then renamed, so that the skill’s folder never exists without one of its files. */
function writeWhole(dir: string, name: string, files: readonly WholeFile[]) {
  mkdirSync(dir, { recursive: true })
  const fresh = join(dir, `.${name}.${process.pid}.new`)
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh)
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(fresh, path)), { recursive: true })
    writeFileSync(join(fresh, path), bytes, { mode: 0o600 })
  }
  renameSync(fresh, join(dir, name))
}
