const hidden = '[not shown]'

/**
 * What takes secrets out of a whole description of a container, by where they stand and not by how they look: variables,
 * arguments, options. Undefined where a program's answer needs none. To be applied before any filter reads the answer.
 */
export function maskOf(program: string, words: readonly string[]): ((text: string) => string) | undefined {
  if (/^(?:docker|podman)$/.test(program))
    return words.includes('inspect') && !words.some((word) => /^(?:-f|--format)/.test(word)) ? maskInspect : undefined
  return /^(?:kubectl|k3s|microk8s)$/.test(program) && words.includes('describe') ? maskDescribe : undefined
}

/** `docker inspect`: JSON. */
function maskInspect(text: string): string {
  if (text.trim() === '') return text
  try {
    return `${JSON.stringify(masked(JSON.parse(text), ''), null, 2)}\n`
  } catch {
    return 'The answer could not be read as a whole, so nothing of it is shown. Name fewer containers.\n'
  }
}

/** Of these only the first word is told: a program, or how a health check is run. */
const commandLines = /^(?:Cmd|Args|Entrypoint|Test|OnBuild|Shell|Command|CreateCommand)$/
const wholly = /^(?:Options|Opts|DriverOpts|LogOpts|Log|Output|Comment|History|SecurityOpt)$/
/** Labels of proxies and the like hold users, keys and passwords; of these it is known that they do not. */
const plainLabel =
  /^(?:com\.docker\.compose\.(?!project\.environment_file)|org\.opencontainers\.image\.|org\.label-schema\.|maintainer$)/

const isLabels = (key: string) => /^(?:Labels|Annotations)$/.test(key)

function masked(value: unknown, key: string): unknown {
  if (Array.isArray(value)) {
    if (key === 'Env')
      return value.map((entry) =>
        typeof entry === 'string' && entry.includes('=') ? entry.replace(/=.*$/s, `=${hidden}`) : hidden,
      )
    if (commandLines.test(key))
      return value.length < 2
        ? value.map(withoutArguments)
        : [withoutArguments(value[0]), `… ${value.length - 1} more, not shown`]
    if (wholly.test(key)) return value.map(() => hidden)
    return value.map((entry) => masked(entry, ''))
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        isLabels(key) && !plainLabel.test(name)
          ? hidden
          : wholly.test(key) && typeof member === 'string'
            ? hidden
            : masked(member, key === 'LogConfig' && name === 'Config' ? 'Options' : name),
      ]),
    )
  }
  return typeof value === 'string' && value !== '' && (commandLines.test(key) || wholly.test(key)) ? hidden : value
}

const withoutArguments = (entry: unknown) =>
  typeof entry === 'string' ? entry.replace(/\s.*$/s, ` ${hidden}`) : hidden

/** `kubectl describe`: indented text. Of variables the names are told, and where one comes from. */
function maskDescribe(text: string): string {
  let block: { indent: number; name: string } | undefined
  return text
    .split('\n')
    .map((line) => {
      const indent = line.search(/\S/)
      if (indent === -1) return line
      if (block !== undefined && indent > block.indent) {
        const [, name = '', value = ''] = /^(\s+[\w.-]+:)\s*(.*)$/.exec(line) ?? []
        const isFrom = /^<set to .*>(?:\s+Optional: \w+)?$/.test(value)
        return block.name === 'Environment' && name !== ''
          ? isFrom
            ? line
            : `${name}  ${hidden}`
          : `${' '.repeat(indent)}${hidden}`
      }
      block = undefined
      const [, name = ''] = /^\s*(Environment|Args|Command):/.exec(line) ?? []
      if (name !== '') block = { indent, name }
      return line.replace(/\bexec \[.*\]/, `exec ${hidden}`)
    })
    .join('\n')
}
