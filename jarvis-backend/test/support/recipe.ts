import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

/** The text of one recipe in docs/extending.md. @throws Error if no heading has this title */
function recipe(title: string): string {
  const page = readFileSync(join(root, 'docs/extending.md'), 'utf8')
  const text = page.split(/^## /m).find((section) => section.startsWith(`${title}\n`))
  if (text === undefined) throw new Error(`docs/extending.md has no recipe "${title}".`)
  return text
}

/** The code blocks of a recipe. `path` is the last path of a TypeScript file that the text before the block names. */
function blocksOf(title: string): { path: string | undefined; code: string }[] {
  const text = recipe(title)
  return [...text.matchAll(/^( *)```tsx?\n([\s\S]*?)^\1```/gm)].map(({ index, 1: indent = '', 2: code = '' }) => ({
    path: [...text.slice(0, index).matchAll(/`([\w./-]+\.tsx?)`/g)].at(-1)?.[1],
    code: code.replace(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The code block that a recipe shows for a file. @throws Error if there is none */
export function shownCode(title: string, path: string): string {
  const block = blocksOf(title).find((one) => one.path === path)
  if (block === undefined) throw new Error(`The recipe "${title}" shows no ${path}.`)
  return block.code
}

/** Replaces the path of each relative import by its path from the repository's root. */
const fromRoot = (code: string, path: string) =>
  code.replace(
    /(from|import) '(\.{1,2}\/[^']+)'/g,
    (_, word: string, to: string) => `${word} '${join(dirname(path), to)}'`,
  )

/**
 * Fails unless a file has the code that a recipe shows for `path`.
 * @param copy absolute; its relative imports may differ, because it stands in another folder
 * @param moved paths of the recipe's other files, by the paths of their copies from the repository's root
 */
export function expectShown(title: string, path: string, copy: string, moved: Record<string, string> = {}): void {
  const own = relative(root, copy)
  let code = fromRoot(readFileSync(copy, 'utf8'), own)
  for (const [from, to] of Object.entries(moved)) code = code.replaceAll(`'${from}'`, `'${to}'`)
  // The order of imports follows their paths, which differ.
  expect(sorted(code)).toBe(sorted(fromRoot(shownCode(title, path), path)))
}

const sorted = (code: string) => {
  const lines = code.split('\n')
  const end = lines.findLastIndex((line) => line.startsWith('import ')) + 1
  return [...lines.slice(0, end).toSorted(), ...lines.slice(end)].join('\n')
}

/** Fails unless a recipe names this line of code, and the file that the line goes into. */
export function expectLine(title: string, line: string, path: string): void {
  expect(recipe(title)).toContain(`\`${line}\``)
  expect(recipe(title)).toContain(`\`${path}\``)
}
