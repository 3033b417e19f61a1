import { JarvisError } from 'protocol'
import type { Commands } from './command.ts'

type Completed = {
  name: string
  about: string
  words: string[]
  options: { name: string; takes: boolean; isMany: boolean; about: string }[]
}

/** The words that can follow each command: the fixed first words of its forms, and its options. */
const completed = (commands: Commands): Completed[] =>
  commands.list().map(({ name, forms, options }) => {
    const words = forms.flatMap(({ args }) => {
      const [first = ''] = args.replace(/^\[|\]$/g, '').split(/[\s\]]/)
      return first.split('|').filter((word) => /^[a-z]+$/.test(word))
    })
    return {
      name,
      about: (forms[0]?.about ?? '').replaceAll('`', ''),
      words: [...new Set(words)],
      options: Object.entries(options).map(([option, { value, multiple, about }]) => ({
        name: `--${option}`,
        takes: value !== undefined,
        isMany: multiple === true,
        about: about.replaceAll('`', ''),
      })),
    }
  })

const bash = (commands: Commands) => `# jarvis completion bash
_jarvis() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" words="" takes=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="${commands.names().join(' ')}"
  else case "\${COMP_WORDS[1]}" in
${completed(commands)
  .map(
    ({ name, words, options }) =>
      `    ${name}) words="${[...(name === 'help' ? commands.names() : words), ...options.map((option) => option.name)].join(' ')}" takes=" ${options.flatMap((option) => (option.takes ? option.name : [])).join(' ')} " ;;`,
  )
  .join('\n')}
  esac; fi
  case "$takes" in *" $before "*) words="" ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ \${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}
complete -F _jarvis jarvis
`

const quoted = (text: string) => text.replaceAll("'", '’')
const zshWord = (text: string) => quoted(text).replaceAll(/[:[\]]/g, ' ')

const zsh = (commands: Commands) => `#compdef jarvis
# jarvis completion zsh
_jarvis() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${completed(commands)
  .map(({ name, about }) => `      '${name}:${zshWord(about)}'`)
  .join('\n')}
    )
    _describe command commands
    return
  fi
  case "\${words[2]}" in
${completed(commands)
  .map(({ name, words, options }) => {
    const values = [
      ...options.map(
        (option) =>
          `'${option.isMany ? '*' : ''}${option.name}[${zshWord(option.about)}]${option.takes ? ':value:_files' : ''}'`,
      ),
      ...(words.length > 0 || name === 'help'
        ? [`'2:word:(${(name === 'help' ? commands.names() : words).join(' ')})'`]
        : []),
      "'*:file:_files'",
    ]
    return `    ${name}) _arguments ${values.join(' ')} ;;`
  })
  .join('\n')}
  esac
}
(( $+functions[compdef] )) && compdef _jarvis jarvis
`

const fish = (commands: Commands) => `# jarvis completion fish
function __jarvis_command
  set -l words (commandline -opc)
  test (count $words) -gt 1; and test $words[2] = $argv[1]
end
${completed(commands)
  .flatMap(({ name, about, words, options }) => [
    `complete -c jarvis -n __fish_is_first_token -f -a ${name} -d '${quoted(about)}'`,
    ...(words.length > 0 || name === 'help'
      ? [
          `complete -c jarvis -n '__jarvis_command ${name}' -f -a '${(name === 'help' ? commands.names() : words).join(' ')}'`,
        ]
      : []),
    ...options.map(
      (option) =>
        `complete -c jarvis -n '__jarvis_command ${name}' -l ${option.name.slice(2)}${option.takes ? ' -r' : ''} -d '${quoted(option.about)}'`,
    ),
  ])
  .join('\n')}
`

const shells: Record<string, (commands: Commands) => string> = { bash, zsh, fish }

/** `jarvis completion`: prints a script for a shell. */
export function completion([shell = '']: string[], commands: Commands): void {
  const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined
  if (script === undefined)
    throw new JarvisError('invalid_request', 'Use completion bash, completion zsh or completion fish.')
  process.stdout.write(script(commands))
}
