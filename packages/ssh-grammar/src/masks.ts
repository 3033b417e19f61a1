const hidden = '[not shown]'

/**
 * Returns a function that masks secrets in a container's description by their place: variables, arguments, options. Undefined: the program's output
 * needs no mask. Apply it before any filter reads the output.
 */
export function maskOf(program: string, words: readonly string[]): ((text: string) => string) | undefined {
  if (/^(?:docker|podman)$/.test(program))
    return words.includes('inspect') && !words.some((word) => /^(?:-f|--format)/.test(word)) ? maskInspect : undefined
  return /^(?:kubectl|k3s|microk8s)$/.test(program) && words.includes('describe') ? maskDescribe : undefined
}

/** Masks `docker inspect`, which prints JSON. */
function maskInspect(text: string): string {
  if (text.trim() === '') return text
  try {
    return `${JSON.stringify(masked(JSON.parse(text), ''), null, 2)}\n`
  } catch {
    return 'The answer could not be read as a whole, so nothing of it is shown. Name fewer containers.\n'
  }
}

/** Keys whose values are command lines. Only the first word is shown: the program, or the kind of a health check. */
const commandLines = /^(?:Cmd|Args|Entrypoint|Test|OnBuild|Shell|Command|CreateCommand)$/
const wholly = /^(?:Options|Opts|DriverOpts|LogOpts|Log|Output|Comment|History|SecurityOpt)$/
/** Labels that are known to hold no secret. Other labels may hold users, keys and passwords. */
const plainLabel =
  /^(?:com\.docker\.compose\.(?!project\.environment_file)|org\.opencontainers\.image\.|org\.label-schema\.|maintainer$)/

const isLabels = (key: string) => /^(?:Labels|Annotations)$/.test(key)

function masked(value: unknown, key: string): unknown {
  if (Array.isArray(value)) {
    if (key === 'Env')
      return value.map((entry) =>
        typeof entry === 'string' && entry.includes('=') ? entry.replace(/=.*/s, `=${hidden}`) : hidden,
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

const withoutArguments = (entry: unknown) => (typeof entry === 'string' ? entry.replace(/\s.*/s, ` ${hidden}`) : hidden)

/** Masks `kubectl describe`, which prints indented text. Names of variables and their sources are shown. */
function maskDescribe(text: string): string {
  let block: { indent: number; name: string } | undefined
  return text
    .split('\n')
    .map((line) => {
      const indent = line.search(/\S/)
      if (indent === -1) return line
      if (block !== undefined && indent > block.indent) {
        const [, name = '', value = ''] = /^(\s+[\w.-]+:)(.*)$/s.exec(line) ?? []
        const isFrom = /^<set to .*>(?:\s+Optional: \w+)?$/.test(value.trimStart())
        return block.name === 'Environment' && name !== ''
          ? isFrom
            ? line
            : `${name}  ${hidden}`
          : `${' '.repeat(indent)}${hidden}`
      }
      block = undefined
      const [, name = ''] = /^\s*(Environment|Args|Command):/.exec(line) ?? []
      if (name !== '') block = { indent, name }
      const ends = line.lastIndexOf(']') + 1
      return line.slice(0, ends).replace(/\bexec \[.*/s, `exec ${hidden}`) + line.slice(ends)
    })
    .join('\n')
}
