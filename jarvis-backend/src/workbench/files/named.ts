import { constants, lstatSync, readdirSync, type Stats } from 'node:fs'
import { hashOf as hashOfValue } from 'node-kit/canonical'
import { isBinary } from './text.ts'
import { bytesOf, hashOf, type RootAt, withFile, within } from './walk.ts'

/**
 * A file in its present state. `path`: relative to the folder. `mark`: made of the hash and mode; for a file over 20 MB, of its size, change time,
 * inode and mode. `bytes`: absent for a file over 20 MB.
 */
export type NamedFile = { path: string; mark: string; mode: number; changedAt: Date; bytes?: Buffer }

/**
 * The files that a command uses. `files`: files that the command names, and files that these name. `tree`: a hash of everything in the folder, or in
 * the folders that the command names; it changes with each name, mode or file content. It is absent if the command names no folder, or the entries
 * are too many. `isTooMuch`: the whole folder was asked for but is too large, so only named files and folders are covered. `others`: reads the other
 * files of the folder; empty if the folder holds more than 20 MB.
 */
export type Named = {
  files: NamedFile[]
  tree?: string
  isWhole?: boolean
  isTooMuch?: true
  others(): NamedFile[]
  isCut: boolean
}

const most = {
  named: 20,
  lookups: 500,
  words: 2_000,
  patterns: 20,
  folders: 10,
  entries: 5_000,
  depth: 40,
  listed: 30,
  bytes: 20 * 1024 ** 2,
}
const longestWord = 1_000
/** A longer text is taken for data and not for a script. */
const mostRead = 256 * 1024
/** File name extensions that a program adds to a name that it loads. */
const loaded = ['py', 'pm', 'pl', 'rb', 'js', 'mjs', 'cjs', 'ts', 'json', 'lua', 'php', 'sh']
const loadedEnd = new RegExp(`\\.(?:${loaded.join('|')})$`)
/** File names that a program loads if it is given a folder. */
const ofFolder = [
  '__init__.py',
  '__main__.py',
  'package.json',
  ...['js', 'mjs', 'cjs', 'ts'].map((end) => `index.${end}`),
]
/** File names that a program reads by default, by the program's name. */
const readBy: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', '.justfile', 'Justfile'],
  ...Object.fromEntries(
    ['npm', 'npx', 'pnpm', 'yarn', 'node', 'bun'].map((name) => [name, ['package.json', '.npmrc']]),
  ),
  ...Object.fromEntries(
    ['docker', 'docker-compose', 'podman-compose'].map((name) => [
      name,
      ['compose', 'docker-compose'].flatMap((stem) => [
        ...['yaml', 'yml', 'override.yaml', 'override.yml'].map((end) => `${stem}.${end}`),
      ]),
    ]),
  ),
  pytest: ['conftest.py', 'pytest.ini', 'pyproject.toml', 'setup.cfg', 'tox.ini'],
  ...Object.fromEntries(['python', 'python3'].map((name) => [name, ['sitecustomize.py', 'usercustomize.py']])),
  ansible: ['ansible.cfg'],
  'ansible-playbook': ['ansible.cfg'],
  cargo: ['Cargo.toml', 'build.rs'],
  rake: ['Rakefile'],
}
const kinds = { [constants.S_IFREG]: 'file', [constants.S_IFDIR]: 'folder', [constants.S_IFLNK]: 'link' } as const

type NamedIn = { folder: string; command: string; isClosed(path: string): boolean; isWhole: boolean }

/**
 * Finds the files of a folder that a command names, by a path of their own or below a folder that it names. A command may also build names while it
 * runs, so `tree` covers the other files.
 * @param isClosed files that appear empty to the command; they are left out @param isWhole also covers everything in the folder
 */
export function namedFiles(root: RootAt, { folder, command, isClosed, isWhole }: NamedIn): Named {
  const all = isWhole ? entriesBelow(root, folder) : undefined
  const known = all && new Set(all.paths)
  const found = new Map<string, NamedFile>()
  const looked = new Set<string>()
  const folders = ['']
  const texts = [command]
  /** Folders that the command itself names, and not only one of its files. */
  const named: string[] = []
  let isOfCommand = true
  let isCut = false

  const lists = new Map<string, Names>()
  /** The names of the entries of a folder. */
  function namesIn(path: string): Names {
    const known = lists.get(path)
    if (known !== undefined) return known
    if (lists.size === most.listed) {
      isCut = true
      return { names: new Set(), stems: new Set() }
    }
    const listed = namesOf(root, joined(folder, path))
    isCut ||= listed === undefined
    const stems = (listed ?? []).flatMap((name) => (loadedEnd.test(name) ? [name.replace(loadedEnd, '')] : []))
    const there = { names: new Set(listed), stems: new Set(stems) }
    lists.set(path, there)
    return there
  }
  const look = (path: string) => (isClosed(path) ? undefined : fileAt(root, joined(folder, path), path))
  /** Looks for a file or folder with this name. Other words may be files in a found folder. */
  function take(word: string): void {
    const path = plain(word)
    if (path === undefined || looked.has(path) || (known !== undefined && !known.has(path) && !all?.folders.has(path)))
      return
    if (found.size === most.named || looked.size === most.lookups) {
      isCut = true
      return
    }
    looked.add(path)
    const stands = look(path)
    if (stands === 'folder') {
      if (isOfCommand) named.push(path)
      if (!folders.includes(path) && folders.length < most.folders) folders.push(path)
    } else if (stands !== undefined) {
      found.set(path, stands)
      const { bytes } = stands
      // The file may name files of its own folder.
      const beside = path.split('/').slice(0, -1).join('/')
      if (!folders.includes(beside) && folders.length < most.folders) folders.push(beside)
      if (bytes !== undefined && bytes.length <= mostRead && !isBinary(bytes)) texts.push(bytes.toString('utf8'))
    }
  }
  for (let at = 0; at < texts.length; at += 1) {
    const words = wordsOf(texts[at] ?? '')
    const patterns = words.filter(isPattern)
    isCut ||= words.length > most.words || patterns.length > most.patterns
    for (const pattern of patterns.slice(0, most.patterns)) {
      const paths = all?.paths ?? folders.flatMap((path) => [...namesIn(path).names].map((name) => joined(path, name)))
      for (const path of matching(pattern, paths)) take(path)
    }
    const unsaid = at === 0 ? words.flatMap((word) => (Object.hasOwn(readBy, word) ? (readBy[word] ?? []) : [])) : []
    // Folders that are found in this loop are searched too.
    for (let within = 0; within < folders.length; within += 1)
      for (const word of [...words.slice(0, most.words), ...unsaid]) take(joined(folders[within] ?? '', word))
    for (let within = 0; within < folders.length; within += 1) {
      const place = folders[within] ?? ''
      for (const name of place === '' ? [] : ofFolder) if (namesIn(place).names.has(name)) take(joined(place, name))
      for (const word of words.slice(0, most.words)) for (const path of loadedAs(place, word, namesIn)) take(path)
    }
    isOfCommand = false
  }
  const files = [...found.values()]
  if (all === undefined) {
    const trees = named.map((path) => [path, entriesBelow(root, joined(folder, path))?.print] as const)
    const tree = trees.some(([, print]) => print === undefined) || trees.length === 0 ? undefined : hashOfValue(trees)
    return {
      files,
      isCut: isCut || (trees.length > 0 && tree === undefined),
      tree,
      ...(isWhole && { isTooMuch: true as const }),
      others: () => [],
    }
  }
  const rest = all.bytes > most.bytes ? [] : all.paths.filter((path) => !found.has(path))
  const others = () => rest.flatMap((path) => look(path) ?? []).filter((one) => one !== 'folder')
  return { files, isCut, tree: all.print, isWhole: true, others }
}

const joined = (...parts: string[]): string => parts.filter((part) => part !== '').join('/')

/** The words of a text that may be paths. Quotes and backslashes are removed, because a shell removes them. */
const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .replace(/[\\'"]/g, '')
      .split(/[\s;|&<>()=:,`$]+/)
      .map((word) => word.replace(/^(?:\/work\/|\.\/)/, ''))
      .filter((word) => word !== '' && word.length <= longestWord),
  ),
]

/** `stems`: the names without the extensions that programs add. */
type Names = { names: ReadonlySet<string>; stems: ReadonlySet<string> }

/** The files that a program loads by a name without extension: `helper` and `lib.helper` for `helper.py`. */
function loadedAs(place: string, word: string, namesIn: (path: string) => Names): string[] {
  const forms = /[.:]/.test(word)
    ? [...new Set([word, word.replace(/^\.+/, '').replaceAll('.', '/'), word.replaceAll('::', '/')])]
    : [word]
  const { names, stems } = namesIn(place)
  return forms.flatMap((form) => {
    const first = form.indexOf('/')
    const isHere = first === -1 ? stems.has(form) : form.startsWith('..') || names.has(form.slice(0, first))
    const path = isHere ? plain(joined(place, form)) : undefined
    if (path === undefined) return []
    const above = path.lastIndexOf('/')
    const { names: beside } = namesIn(above === -1 ? '' : path.slice(0, above))
    const stem = path.slice(above + 1)
    return loaded.flatMap((end) => (beside.has(`${stem}.${end}`) ? [`${path}.${end}`] : []))
  })
}

/** The names in a folder; undefined if they are too many. */
function namesOf(root: RootAt, path: string): string[] | undefined {
  try {
    const names = within(root, `${path === '' ? '' : `${path}/`}x`, ({ dir }) => readdirSync(dir)) ?? []
    return names.length > most.entries ? undefined : names
  } catch {
    return []
  }
}

const isPattern = (word: string) => /[*?[]/.test(word)

/** The paths that a pattern may match: paths with the pattern's beginning and end. */
function matching(word: string, paths: readonly string[] = []): string[] {
  const first = word.search(/[*?[]/)
  const last = Math.max(...['*', '?', ']'].map((sign) => word.lastIndexOf(sign)))
  const [start, end] = [word.slice(0, first), word.slice(last + 1)]
  return paths.filter((path) => path.startsWith(start) && path.endsWith(end))
}

/** Normalises a word to a path. @returns undefined if the word is not a path within the folder */
function plain(word: string): string | undefined {
  const parts: string[] = []
  for (const part of word.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '' && part !== '.') parts.push(part)
  }
  return word.startsWith('/') || parts.length === 0 || parts.length > most.depth ? undefined : parts.join('/')
}

function fileAt(root: RootAt, full: string, path: string): NamedFile | 'folder' | undefined {
  try {
    return within(root, full, (held) => {
      const stat = lstatSync(`${held.dir}/${held.name}`, { throwIfNoEntry: false })
      if (stat?.isDirectory()) return 'folder'
      if (stat?.isFile() !== true) return undefined
      return withFile(held, full, (file, stats): NamedFile | undefined => {
        if (!stats.isFile()) return undefined
        const bytes = stats.size > most.bytes ? undefined : bytesOf(file, most.bytes)
        const mark = bytes === undefined ? printOf(stats) : hashOf(bytes)
        const facts = { path, mark: `${mark}:${modeOf(stats)}`, mode: stats.mode & 0o777, changedAt: stats.mtime }
        return { ...facts, ...(bytes && { bytes }) }
      })
    })
  } catch {
    // The path leads through a link or to JARVIS's own files, which a command cannot reach either.
    return undefined
  }
}

const modeOf = ({ mode }: Stats) => (mode & 0o777).toString(8)
/** A value that changes with the file. Nobody but root can set the change time, and a file that replaced another has another inode number. */
const printOf = ({ size, ino, ctimeMs, mode }: Stats) => [size, ino, ctimeMs, mode].join(' ')

/** The value of `tree` for an empty folder. */
export const emptyTree = hashOfValue([])

/** Describes everything below a folder; undefined if it has too many entries or is nested too deeply. */
function entriesBelow(root: RootAt, folder: string) {
  const prints: string[] = []
  const paths: string[] = []
  const folders = new Set<string>()
  let bytes = 0
  const open = ['']
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const found = within(root, `${joined(folder, path)}/x`, ({ dir }) =>
      readdirSync(dir).map((name) => ({ name, stat: lstatSync(`${dir}/${name}`, { throwIfNoEntry: false }) })),
    )
    if (prints.length + (found?.length ?? 0) > most.entries || path.split('/').length > most.depth) return undefined
    for (const { name, stat } of found?.sort((one, other) => (one.name < other.name ? -1 : 1)) ?? []) {
      if (stat === undefined) continue
      const at = joined(path, name)
      const kind = kinds[stat.mode & constants.S_IFMT] ?? 'other'
      // A folder's times change with its entries, which are listed themselves.
      prints.push(`${at}\0${kind} ${kind === 'folder' ? modeOf(stat) : printOf(stat)}`)
      if (kind === 'folder') {
        folders.add(at)
        open.push(at)
      } else if (kind === 'file') {
        paths.push(at)
        bytes += stat.size
      }
    }
  }
  return { print: hashOfValue(prints), paths, folders, bytes }
}
