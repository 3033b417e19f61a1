import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'

/** A regular expression of the code; `line` from 1, absent where it is put together while a module loads. */
export type Found = { file: string; line?: number; source: string; flags: string }
/** A call of `RegExp` in a function whose source the code around it does not tell. */
export type Unread = { file: string; line: number; code: string }

const root = fileURLToPath(new URL('../../../', import.meta.url))
const folders = ['jarvis-backend/src', 'jarvis-frontend/src', 'packages']

type Syntax = { type: string; start: number; end: number; [key: string]: unknown }
const isSyntax = (value: unknown): value is Syntax => typeof value === 'object' && value !== null && 'type' in value

/** Every expression in the code of the backend, the dashboard and the packages, tests aside. */
export async function expressionsIn(): Promise<{ found: Found[]; unread: Unread[] }> {
  const files = folders
    .flatMap((folder) =>
      readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
    )
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\.fixture\.|\.d\.ts$|\/test\/|node_modules/.test(file))
    .sort()
  const read = files.map((file) => readFile(file, readFileSync(`${root}${file}`, 'utf8')))
  const made = await loaded(read.flatMap(({ file, isMaking }) => (isMaking ? file : [])))
  return { found: [...read.flatMap(({ found }) => found), ...made], unread: read.flatMap(({ unread }) => unread) }
}

function isValid(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) !== undefined
  } catch {
    return false
  }
}

function readFile(file: string, text: string) {
  const found: Found[] = []
  const unread: Unread[] = []
  let isMaking = false
  const names = new Map<string, Syntax>()
  const lineAt = (at: number) => text.slice(0, at).split('\n').length

  /** A string that the code of this file makes; a part that comes from elsewhere reads as one letter. */
  function textOf(node: unknown, isPart = true): string | undefined {
    if (!isSyntax(node)) return undefined
    if (node.type === 'Literal' && typeof node.value === 'string') return node.value
    if (node.type === 'TaggedTemplateExpression') return textOf({ ...(node.quasi as Syntax), isRaw: true })
    if (node.type === 'TemplateLiteral') {
      const parts = node.quasis as { value: { cooked: string; raw: string } }[]
      const inner = node.expressions as Syntax[]
      return parts.reduce(
        (all, { value }, at) => all + (at > 0 ? textOf(inner[at - 1]) : '') + (node.isRaw ? value.raw : value.cooked),
        '',
      )
    }
    if (node.type === 'MemberExpression' && (node.property as Syntax).name === 'source') {
      const known = names.get(String((node.object as Syntax).name))
      return (known?.regex as { pattern: string } | undefined)?.pattern ?? 'x'
    }
    const known = node.type === 'Identifier' ? names.get(String(node.name)) : undefined
    return (known === undefined ? undefined : textOf(known, false)) ?? (isPart ? 'x' : undefined)
  }

  function walk(node: unknown, isInFunction: boolean): void {
    if (Array.isArray(node)) {
      for (const each of node) walk(each, isInFunction)
      return
    }
    if (!isSyntax(node)) return
    const { regex, callee } = node as { regex?: { pattern: string; flags: string }; callee?: Syntax }
    if (regex !== undefined) found.push({ file, line: lineAt(node.start), source: regex.pattern, flags: regex.flags })
    if (node.type === 'VariableDeclarator' && !isInFunction && isSyntax(node.init))
      names.set(String((node.id as Syntax).name), node.init)
    if (callee?.name === 'RegExp') {
      isMaking = true
      const [first, second] = node.arguments as Syntax[]
      const source = textOf(first, false)
      const flags = second === undefined ? '' : (textOf(second, false) ?? '')
      if (isInFunction) {
        if (source === undefined || !isValid(source, flags))
          unread.push({ file, line: lineAt(node.start), code: text.slice(node.start, node.end) })
        else found.push({ file, line: lineAt(node.start), source, flags })
      }
    }
    const isWithin = isInFunction || node.type.includes('Function')
    for (const key in node) {
      const child = node[key]
      if (typeof child === 'object' && child !== null && key !== 'regex') walk(child, isWithin)
    }
  }
  walk(parseSync(file, text).program, false)
  return { file, found, unread, isMaking }
}

/** The expressions that modules put together while they load. */
async function loaded(files: readonly string[]): Promise<Found[]> {
  const found: Found[] = []
  const Original = globalThis.RegExp
  let file = ''
  globalThis.RegExp = new Proxy(Original, {
    construct(target, [source, flags]: [string | RegExp, string?]) {
      const made = new target(source, flags)
      found.push({ file, source: made.source, flags: made.flags })
      return made
    },
  })
  try {
    // The query makes a module of its own, because the file may have been loaded before.
    for (file of files) await import(/* @vite-ignore */ `${root}${file}?expressions`)
  } finally {
    globalThis.RegExp = Original
  }
  return found
}
