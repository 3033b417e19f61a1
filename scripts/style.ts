/** Lists comments that open with a word that hides their subject, and object literals that are grouped by `...{`. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const folders = ['jarvis-backend', 'jarvis-frontend', 'packages', 'scripts']
const opening = /^(?:What|Of|Who|Whoever|That|Those|Whether|Which|Whose)\b/

const paths = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(
      ({ name, parentPath }) => /\.(?:tsx?|js|mjs)$/.test(name) && !/\/(?:node_modules|dist|client)\b/.test(parentPath),
    )
    .map(({ name, parentPath }) => join(parentPath, name)),
)

/** The first lines of the comments of a text, with their line numbers from 1. */
function* openings(text: string): Generator<{ line: number; words: string }> {
  let isGoingOn = false
  for (const [index, line] of text.split('\n').entries()) {
    const [, sign, words = ''] = /^\s*(\/\*\*|\/\/)\s+(.*)/.exec(line) ?? []
    if (sign !== undefined && !(sign === '//' && isGoingOn)) yield { line: index + 1, words }
    isGoingOn = sign === '//'
  }
}

const faults = paths.flatMap((path) => {
  const text = readFileSync(path, 'utf8')
  const name = relative(root, path)
  const grouped = text
    .split('\n')
    .flatMap((line, index) =>
      /(?:^|[{,(\s])\.\.\.\{ /.test(line) && !/<\w/.test(line)
        ? [`${name}:${index + 1}: write the members without \`...{ }\``]
        : [],
    )
  const riddles = [...openings(text)].filter(({ words }) => opening.test(words))
  return [...grouped, ...riddles.map(({ line, words }) => `${name}:${line}: name the subject first: ${words}`)]
})
for (const fault of faults) console.error(fault)
if (faults.length > 0) console.error(`${faults.length} places break the house style.`)
process.exitCode = faults.length > 0 ? 1 : 0
