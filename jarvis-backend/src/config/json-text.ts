import { applyEdits, format, type JSONPath, modify, type Node, type ParseError, parseTree } from 'jsonc-parser'
import type { Path } from './mcp-entry.ts'

/** The text of a JSON file with comments, trailing commas and a byte-order mark. An edit keeps all of these. */
export class JsonText {
  #text: string
  readonly #mark: string

  constructor(text: string) {
    this.#mark = text.startsWith('\ufeff') ? '\ufeff' : ''
    this.#text = text.slice(this.#mark.length)
  }

  /** Puts each field on its own line if the file is a single line, as programs write it. */
  #unfold(): void {
    if (this.#text.trim() === '') this.#text = '{}\n'
    if (this.#text.trim().includes('\n')) return
    const edits = format(this.#text, undefined, { insertSpaces: true, tabSize: 2, eol: '\n', insertFinalNewline: true })
    this.#text = applyEdits(this.#text, edits)
  }

  /** @returns the value, `{}` for an empty text @throws SyntaxError that names the line and never quotes the text */
  read(): { value: unknown; twice: string[] } {
    if (this.#text.trim() === '') return { value: {}, twice: [] }
    const errors: ParseError[] = []
    const root = parseTree(this.#text, errors, { allowTrailingComma: true })
    const [error] = errors
    if (error !== undefined || root === undefined)
      throw new SyntaxError(`line ${this.#text.slice(0, error?.offset ?? 0).split('\n').length}`)
    const twice: string[] = []
    return { value: plainOf(root, twice), twice }
  }

  /** Puts a value at a path; undefined removes the present value. */
  set(path: Path, value: unknown): void {
    this.#unfold()
    const text = this.#text
    const found =
      typeof value === 'string' ? nodeAt(parseTree(text, [], { allowTrailingComma: true }), path) : undefined
    if (found !== undefined) {
      const [before, after] = [text.slice(0, found.offset), text.slice(found.offset + found.length)]
      this.#text = `${before}${JSON.stringify(value)}${after}`
      return
    }
    const edits = modify(text, [...path] as JSONPath, value, {
      formattingOptions: {
        insertSpaces: !/^\t/m.test(text),
        tabSize: /^( +)"/m.exec(text)?.[1]?.length ?? 2,
        eol: text.includes('\r\n') ? '\r\n' : '\n',
      },
    })
    this.#text = applyEdits(text, edits)
  }

  toString(): string {
    return this.#mark + this.#text
  }
}

/** Builds own properties, including `__proto__`. If a key occurs twice, the last value counts, as in JSON; `twice` collects such keys. */
function plainOf(node: Node, twice: string[]): unknown {
  if (node.type === 'array') return (node.children ?? []).map((child) => plainOf(child, twice))
  if (node.type !== 'object') return node.value
  const pairs = (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [[String(key.value), plainOf(value, twice)] as const],
  )
  const names = pairs.map(([name]) => name)
  twice.push(...new Set(names.filter((name, index) => names.indexOf(name) !== index)))
  return Object.fromEntries(pairs)
}

function nodeAt(root: Node | undefined, path: Path): Node | undefined {
  return path.reduce<Node | undefined>((node, key) => {
    if (typeof key === 'number') return node?.type === 'array' ? node.children?.[key] : undefined
    return node?.type === 'object'
      ? node.children?.findLast(({ children: [name] = [] }) => name?.value === key)?.children?.[1]
      : undefined
  }, root)
}
