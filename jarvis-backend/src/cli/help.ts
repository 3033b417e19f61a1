import { type CommandName, commandNames, commandOf, exitWords, groups } from './table.ts'

const formsOf = (name: CommandName) =>
  commandOf(name).forms.map(({ args, about }) => ({ line: args === '' ? name : `${name} ${args}`, about }))

const optionLines = (name: CommandName) =>
  Object.entries(commandOf(name).options).map(([option, { value, about }]) => ({
    line: `--${option}${value === undefined ? '' : ` ${value}`}`,
    about,
  }))

const exitLine = exitWords.map(([code, words]) => `${code} ${words}`).join(' · ')

/** Backticks are for Markdown. */
const plain = (text: string) => text.replaceAll('`', '')

function twoColumns(rows: readonly { line: string; about: string }[], width: number): string[] {
  return rows.map(({ line, about }) => `  ${line.padEnd(width)}  ${plain(about)}`.trimEnd())
}

/** The help: all commands in groups. */
export function helpText(): string {
  const rows = groups.map((group) => ({
    group,
    forms: commandNames.filter((name) => commandOf(name).group === group).flatMap(formsOf),
  }))
  const width = Math.max(...rows.flatMap(({ forms }) => forms.map(({ line }) => line.length)))
  return [
    'jarvis ask "which guests have no fresh backup?"',
    '',
    'Usage: jarvis [COMMAND] [ARGUMENTS], or npm run jarvis -- [COMMAND] [ARGUMENTS]',
    ...rows.flatMap(({ group, forms }) => ['', group, ...twoColumns(forms, width)]),
    '',
    `Exit codes: ${exitLine}`,
    'jarvis help COMMAND lists its options.',
  ].join('\n')
}

/** The help of one command. */
export function helpOf(name: CommandName): string {
  const { example, note } = commandOf(name)
  const rows = [...formsOf(name), ...optionLines(name)]
  const width = Math.max(...rows.map(({ line }) => line.length))
  return [
    ...(example === undefined ? [] : [`jarvis ${example}`, '']),
    ...twoColumns(formsOf(name), width),
    ...(optionLines(name).length === 0 ? [] : ['', ...twoColumns(optionLines(name), width)]),
    ...(note === undefined ? [] : ['', plain(note)]),
  ].join('\n')
}

const cell = (text: string) => text.replaceAll('|', '\\|')

/** `docs/command-line.md` below its introduction. */
export function referenceText(): string {
  return [
    ...groups.flatMap((group) => [
      `## ${group}`,
      '',
      '| command | does |',
      '|---|---|',
      ...commandNames
        .filter((name) => commandOf(name).group === group)
        .flatMap((name) => {
          const options = optionLines(name).map(({ line, about }) => `\`${cell(line)}\` ${cell(about)}`)
          const { note } = commandOf(name)
          const rest = [...options, ...(note === undefined ? [] : [cell(note)])]
          const forms = formsOf(name)
          const rows = forms.map(({ line, about }) => {
            const words = forms.length === 1 ? [cell(about), ...rest] : [cell(about)]
            return `| \`jarvis ${cell(line)}\` | ${words.join('. ')} |`
          })
          return forms.length === 1 || rest.length === 0 ? rows : [...rows, `| … | ${rest.join('. ')} |`]
        }),
      '',
    ]),
    '## Exit codes',
    '',
    '| code | means |',
    '|---|---|',
    ...exitWords.map(([code, words]) => `| ${code} | ${words} |`),
    '',
  ].join('\n')
}

/** The command that was most likely meant; undefined where none is near. */
export function nearest(word: string, names: readonly string[] = commandNames): string | undefined {
  const [best] = names
    .map((name) => ({ name, far: name.startsWith(word) ? 1 : distance(word, name) }))
    .sort((a, b) => a.far - b.far)
  return best !== undefined && best.far <= Math.max(1, Math.floor(word.length / 3)) ? best.name : undefined
}

/** How many letters must be added, dropped, replaced or swapped. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)])
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let j = 0; j <= b.length; j++) (rows[0] as number[])[j] = j
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : 99
      ;(rows[i] as number[])[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same, swapped)
    }
  return at(a.length, b.length)
}
