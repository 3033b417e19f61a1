import { nearestName } from 'node-kit/nearest'
import { JarvisError } from 'protocol'
import { type Command, type Commands, groups } from './command.ts'
import { exitWords } from './exit-codes.ts'

const formsOf = ({ name, forms }: Command) =>
  forms.map(({ args, about }) => ({ line: args === '' ? name : `${name} ${args}`, about }))

const optionLines = ({ options }: Command) =>
  Object.entries(options).map(([option, { value, about }]) => ({
    line: `--${option}${value === undefined ? '' : ` ${value}`}`,
    about,
  }))

const exitLine = exitWords.map(([code, words]) => `${code} ${words}`).join(' · ')

/** Removes backticks, which are for Markdown. */
const plain = (text: string) => text.replaceAll('`', '')

function twoColumns(rows: readonly { line: string; about: string }[], width: number): string[] {
  return rows.map(({ line, about }) => `  ${line.padEnd(width)}  ${plain(about)}`.trimEnd())
}

/** The help: all commands in groups. */
export function helpText(commands: Commands): string {
  const rows = groups.map((group) => ({
    group,
    forms: commands
      .list()
      .filter((command) => command.group === group)
      .flatMap(formsOf),
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

export function helpOf(command: Command): string {
  const { example, note } = command
  const rows = [...formsOf(command), ...optionLines(command)]
  const width = Math.max(...rows.map(({ line }) => line.length))
  return [
    ...(example === undefined ? [] : [`jarvis ${example}`, '']),
    ...twoColumns(formsOf(command), width),
    ...(optionLines(command).length === 0 ? [] : ['', ...twoColumns(optionLines(command), width)]),
    ...(note === undefined ? [] : ['', plain(note)]),
  ].join('\n')
}

const cell = (text: string) => text.replaceAll('|', '\\|')

/** The text of `docs/command-line.md` below its introduction. */
export function referenceText(commands: Commands): string {
  return [
    ...groups.flatMap((group) => [
      `## ${group}`,
      '',
      '| command | does |',
      '|---|---|',
      ...commands
        .list()
        .filter((command) => command.group === group)
        .flatMap((command) => {
          const options = optionLines(command).map(({ line, about }) => `\`${cell(line)}\` ${cell(about)}`)
          const { note } = command
          const rest = [...options, ...(note === undefined ? [] : [cell(note)])]
          const forms = formsOf(command)
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

/** `jarvis help`: all commands, one of them, or the reference page. @throws JarvisError `invalid_request` for an unknown command */
export function help([name, ...rest]: string[], commands: Commands): void {
  const command = commands.get(name ?? '')
  if (name === '--markdown') console.log(referenceText(commands))
  else if (name === undefined) console.log(helpText(commands))
  else if (command !== undefined && rest.length === 0) console.log(helpOf(command))
  else throw unknownCommand(name, commands)
}

/** The command that was most likely meant: one whose name begins with the word, or the most similar name. */
export const nearest = (word: string, names: readonly string[]): string | undefined =>
  names.find((name) => name.startsWith(word)) ?? nearestName(word, names)

export function unknownCommand(name: string, commands: Commands): JarvisError {
  const near = nearest(name, commands.names())
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  return new JarvisError(
    'invalid_request',
    `There is no command ${JSON.stringify(name)}.${meant} jarvis help lists all.`,
  )
}
