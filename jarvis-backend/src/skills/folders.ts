import { lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SkillFault, SkillHint } from 'protocol'
import { named } from 'redaction/visible'
import { byNatural } from '../lib/natural.ts'
import { tokensOf } from './catalogue.ts'
import { isSkillName, type Parsed, parseSkill, skillFile } from './front.ts'
import { hintsIn } from './hints.ts'
import type { Tree, Trees } from './tree.ts'

/** Folders that are looked at, and files in all of them. */
const mostFolders = 200
const mostFiles = 5_000
/** A body is given to a model whole. */
const mostBodyTokens = 15_000
const mostHints = 500

/** A skill as it lies in its folder. `faults`: all that keeps it from being approved. */
export type Seen = { name: string; tree: Tree; parsed: Parsed; faults: SkillFault[]; hints: SkillHint[] }

export type Folders = ReturnType<typeof createFolders>

/**
 * Looks at the folders of skills, follows no link and reads within limits.
 * @param parts.dir the folder that holds them
 * @param parts.reserved why no skill may have this name; undefined where one may
 */
export function createFolders(parts: { dir: string; trees: Trees; reserved(name: string): string | undefined }) {
  const { trees, reserved } = parts
  /** Without links on the way, so that a link within can be told. */
  const dir = () => join(realOf(dirname(parts.dir)), basename(parts.dir))
  const dirOf = (name: string) => join(dir(), name)
  const known = new WeakMap<Tree, Said>()

  function see(name: string, isAnew = false): Seen {
    const place = dirOf(name)
    const isLink = lstatSync(place).isSymbolicLink()
    const tree = isLink
      ? noTree('It is a link. A skill is a folder of its own.')
      : isAnew
        ? trees.readAnew(place)
        : trees.read(place)
    const made = known.get(tree) ?? said(name, tree)
    known.set(tree, made)
    const { parsed, hints } = made
    const faults = [...nameFaults(name), ...parsed.faults, ...bodyFaults(parsed.body), ...tree.faults]
    return { name, tree, parsed, faults, hints }
  }

  function nameFaults(name: string): SkillFault[] {
    const why = reserved(name)
    if (why !== undefined) return [{ message: why }]
    return isSkillName(name)
      ? []
      : [{ message: `The folder is called ${named(name)}: a skill’s name has 1 to 64 of a-z, 0-9 and single hyphens.` }]
  }

  /** Folders that may hold a skill. */
  function names(): { names: string[]; problem?: string } {
    const stat = lstatSync(dir(), { throwIfNoEntry: false })
    if (stat === undefined) return { names: [] }
    if (!stat.isDirectory())
      return { names: [], problem: 'workspace/skills is no folder of its own, so that nothing in it is read.' }
    const found = readdirSync(dir(), { withFileTypes: true })
      .filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()))
      .map(({ name }) => name)
      .sort(byNatural)
    if (found.length <= mostFolders) return { names: found }
    return {
      names: found.slice(0, mostFolders),
      problem: `${found.length - mostFolders} of ${found.length} folders were not looked at: there may be ${mostFolders}.`,
    }
  }

  function all(): { seen: Seen[]; problem?: string } {
    const { names: found, problem } = names()
    const seen: Seen[] = []
    let files = 0
    for (const name of found) {
      if (files > mostFiles)
        return {
          seen,
          problem: `${found.length - seen.length} folders were not looked at: there are more than ${mostFiles} files in those before.`,
        }
      try {
        const one = see(name)
        files += one.tree.files.length
        seen.push(one)
      } catch {
        // It was removed meanwhile.
      }
    }
    return { seen, ...(problem !== undefined && { problem }) }
  }

  return {
    names,
    /** @throws Error where there is no such folder */
    see,
    all,
    /** Writes a skill of one file, unless something stands there. */
    add(name: string, text: string) {
      if (lstatSync(dirOf(name), { throwIfNoEntry: false }) === undefined) writeWhole(dir(), name, text)
    },
    remove(name: string) {
      rmSync(dirOf(name), { recursive: true, force: true })
      trees.forget(dirOf(name))
    },
  }
}

/** A folder that is not there is as it is called. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

type Said = Pick<Seen, 'parsed' | 'hints'>
/**
 * What whole trees say, by hash and name. A tree that was just written is read again each time that somebody asks, and all folders get the
 * shipped ones. It follows from the name and the bytes alone, so all folders share it.
 */
const saidBefore = new Map<string, Said>()
const mostSaid = 300

function said(name: string, tree: Tree): Said {
  if (tree.hash === undefined) return read(name, tree)
  const key = `${tree.hash} ${name}`
  const made = saidBefore.get(key) ?? read(name, tree)
  // The newest stand at the end.
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

/** Writes a skill of one file so that its folder is there with the file or not at all. */
function writeWhole(dir: string, name: string, text: string) {
  mkdirSync(dir, { recursive: true })
  const fresh = join(dir, `.${name}.${process.pid}.new`)
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh)
  writeFileSync(join(fresh, skillFile), text, { mode: 0o600 })
  renameSync(fresh, join(dir, name))
}
