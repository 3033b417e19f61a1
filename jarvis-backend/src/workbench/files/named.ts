import { constants, lstatSync, readdirSync, type Stats } from 'node:fs'
import { hashOf as hashOfValue } from 'node-kit/canonical'
import { isBinary } from './text.ts'
import { bytesOf, hashOf, type RootAt, withFile, within } from './walk.ts'

/** A file as it stands. `path`: relative to the folder. `bytes`: absent if it is over 20 MB; `mark` is then of its size, times and number. */
export type NamedFile = { path: string; mark: string; mode: number; changedAt: Date; bytes?: Buffer }

/**
 * `files`: those that a command names, and that these name in turn. `tree`: stands for everything in the folder, or in the folders below it that
 * the command names: another name, byte or mode gives another one; absent if there are none, or it is too much. `isTooMuch`: the whole was
 * asked for and is too much, so that only what is named is bound. `others`: reads the other files of the folder; none if they are over 20 MB.
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
/** A longer text is data rather than a script. */
const mostRead = 256 * 1024
/** Ends that a program adds to a name that it loads. */
const loaded = ['py', 'pm', 'pl', 'rb', 'js', 'mjs', 'cjs', 'ts', 'json', 'lua', 'php', 'sh']
const loadedEnd = new RegExp(`\\.(?:${loaded.join('|')})$`)
/** File names that a program loads if it is given a folder. */
const ofFolder = [
  '__init__.py',
  '__main__.py',
  'package.json',
  ...['js', 'mjs', 'cjs', 'ts'].map((end) => `index.${end}`),
]
/** File names that a program reads by default. */
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
 * Finds the files of a folder that a command names, by a path of their own or below a folder that it names. It names more than it shows where a
 * name is made while it runs, so `tree` holds the rest.
 * @param isClosed files that the command sees empty; they are left out @param isWhole looks at everything in the folder too
 */
export function namedFiles(root: RootAt, { folder, command, isClosed, isWhole }: NamedIn): Named {
  const all = isWhole ? entriesBelow(root, folder) : undefined
  const known = all && new Set(all.paths)
  const found = new Map<string, NamedFile>()
  const looked = new Set<string>()
  const folders = ['']
  const texts = [command]
  /** Folders that the command itself names. */
  const named: string[] = []
  let isOfCommand = true
  let isCut = false

  const lists = new Map<string, Names>()
  /** The names in a folder. */
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
  /** A word may be a file, or a folder that other words are files in. */
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
      // Files that it names may be in its own folder.
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
    // Folders that are found on the way are gone through too.
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

/** The words of a text that may be paths. Quotes and backslashes go, because a shell takes them away. */
const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .replace(/[\\'"]/g, '')
      .split(/[\s;|&<>()=:,`$]+/)
      .map((word) => word.replace(/^(?:\/work\/|\.\/)/, ''))
      .filter((word) => word !== '' && word.length <= longestWord),
  ),
]

/** `stems`: the names that programs load without their ends. */
type Names = { names: ReadonlySet<string>; stems: ReadonlySet<string> }

/** The files that a program loads by a name without its end: `helper` and `lib.helper` for `helper.py`. */
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

/** Undefined if a folder holds too many. */
function namesOf(root: RootAt, path: string): string[] | undefined {
  try {
    const names = within(root, `${path === '' ? '' : `${path}/`}x`, ({ dir }) => readdirSync(dir)) ?? []
    return names.length > most.entries ? undefined : names
  } catch {
    return []
  }
}

const isPattern = (word: string) => /[*?[]/.test(word)

/** A pattern stands for what begins and ends as it does. */
function matching(word: string, paths: readonly string[] = []): string[] {
  const first = word.search(/[*?[]/)
  const last = Math.max(...['*', '?', ']'].map((sign) => word.lastIndexOf(sign)))
  const [start, end] = [word.slice(0, first), word.slice(last + 1)]
  return paths.filter((path) => path.startsWith(start) && path.endsWith(end))
}

/** @returns undefined if the word is not a path within the folder */
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
    // A link on the way, or JARVIS's own: a command does not get there either.
    return undefined
  }
}

const modeOf = ({ mode }: Stats) => (mode & 0o777).toString(8)
/** Nobody but root sets the time of a change, and a new file in an old one's place has another number. */
const printOf = ({ size, ino, ctimeMs, mode }: Stats) => [size, ino, ctimeMs, mode].join(' ')

/** `tree` of an empty folder. */
export const emptyTree = hashOfValue([])

/** Everything below a folder; undefined if it is too much to look at. */
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
      // A folder's own times change with its entries, which are listed themselves.
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
